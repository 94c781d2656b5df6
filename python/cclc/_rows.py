"""What rows of results have beside their fields: a text, comparison, and what makes them dataclasses."""


class _OfDataclass:
    """An attribute of dataclasses, whose module is imported when it is first read."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, row, kind):
        from dataclasses import make_dataclass  # pylint: disable=import-outside-toplevel
        value = getattr(make_dataclass(kind.__name__, kind.fields), self.name)
        setattr(kind, self.name, value)
        return value


class _Row:
    __dataclass_fields__, __dataclass_params__ = _OfDataclass(), _OfDataclass()

    def __repr__(self):
        fields = (f"{name}={getattr(self, name)!r}" for name in self.fields)
        return f"{type(self).__name__}({', '.join(fields)})"

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.fields)


def complete(kind):
    """Gives them to a type of rows."""
    for name in ("__dataclass_fields__", "__dataclass_params__", "__repr__", "__eq__", "__hash__"):
        setattr(kind, name, vars(_Row)[name])
