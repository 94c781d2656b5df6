"""Programs of the embedded language: cclc.program and its parameters."""


class Int:
    """A whole number. A tuner tries `tuned`, or doubles the number if that is None; () fixes it."""

    kind = "int"

    def __init__(self, value, min, max, help="", tuned=None):  # pylint: disable=redefined-builtin
        if not min <= value <= max:
            raise ValueError(f"the default {value} is not between {min} and {max}")
        if tuned is not None and len(tuned) > 8:
            raise ValueError("a tuner tries at most 8 values")
        self.value, self.min, self.max, self.help, self.tuned = value, min, max, help, tuned


class Bool:
    """yes or no."""

    kind = "bool"

    def __init__(self, value, help=""):  # pylint: disable=redefined-builtin
        self.value, self.help = value, help


class Choice:
    """One of at most eight words."""

    kind = "choice"

    def __init__(self, value, choices, help=""):  # pylint: disable=redefined-builtin
        if value not in choices or len(choices) > 8:
            raise ValueError(f"the default {value!r} is one of at most 8 choices")
        self.value, self.choices, self.help = value, list(choices), help


# Flags of code: of generators, coroutines and generators that are asynchronous.
_SUSPENDED = 0x20 | 0x80 | 0x200


class Algorithm:
    """A program, whose body is called with a cclc.Program and its parameters when it is compiled."""

    def __init__(self, body, collective, options, parameters):
        code = getattr(body, "__code__", None)
        if not callable(body) or (code and code.co_flags & _SUSPENDED):
            raise TypeError(f"the body of a program is a function without yield and await, not {body!r}")
        self.body, self.collective, self.parameters = body, collective, parameters
        self.file = code and code.co_filename
        self.name = options.pop("name", None) or getattr(body, "__name__", type(body).__name__)
        self.summary = options.pop("summary", None) or " ".join((body.__doc__ or "").split())
        self.source, self.cost = options.pop("source", ""), options.pop("cost", "")
        self.buffers = options.pop("buffers", None)
        self.default_buffers = options.pop("default_buffers", None)
        self.mapper = options.pop("mapper", None)
        self.ranks = options.pop("ranks", (1, 8))
        if not isinstance(self.ranks, (tuple, list)) or len(self.ranks) != 2:
            raise TypeError(f"ranks are the fewest and the default, such as (2, 8), not {self.ranks!r}")
        self.ranks_from = options.pop("ranks_from", None)
        self.for_switches = options.pop("for_switches", False)

    def __call__(self, p, **parameters):
        """Calls the body as a part of another program."""
        return self.body(p, **{**{name: each.value for name, each in self.parameters.items()}, **parameters})

    def __repr__(self):
        return f"<program {self.name}: {self.collective}>"


OPTIONS = ("name", "summary", "source", "cost", "buffers", "default_buffers", "mapper", "ranks", "ranks_from",
           "for_switches")


def program(collective="custom", param=None, **keywords):
    """Makes a program of a function: its collective, what describes it, and its parameters by name."""
    if callable(collective):
        raise TypeError('the decorator has a collective: @cclc.program("allreduce")')
    parameters = dict(param or {})
    options = {}
    for name, value in keywords.items():
        if isinstance(value, (Int, Bool, Choice)):
            parameters[name] = value
        elif name in OPTIONS:
            options[name] = value
        else:
            raise TypeError(f"'{name}' is neither a parameter, cclc.Int, Bool or Choice, nor an option of a program")
    return lambda body: Algorithm(body, collective, dict(options), parameters)
