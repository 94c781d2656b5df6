"""What calls of cclc raise."""


class Error(Exception):
    """The messages of the tools: messages[0].file, .line, .text, .notes."""

    def __init__(self, text="", messages=()):
        super().__init__(text)
        self.messages = list(messages)

    def __reduce__(self):  # for other processes; a proof stays in its own
        state = {name: value for name, value in vars(self).items() if name != "proof"}
        return type(self), (str(self), self.messages), state


class ProgramError(Error):
    """A program is wrong, at the call that raises it, or does not compute its collective."""


class Refused(Error):
    """No plan is within the limits of its destination."""


class UsageError(Error):
    """A request cannot be understood, its parts do not go together, or the program does not support it."""


class ProofError(Error):
    """A plan is wrong: proof has the counter-example."""

    proof = None


class InternalError(Error):
    """A defect of cclc."""


class CclcWarning(UserWarning):
    """A warning of the tools."""


# Messages name the package, which has the classes.
for each in (Error, ProgramError, Refused, UsageError, ProofError, InternalError, CclcWarning):
    each.__module__ = "cclc"
