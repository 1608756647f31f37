"""Packaged data files of one kind: found by listing their folder, named by their stems."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from .names import unknown_name


@dataclass(frozen=True)
class Shelf:
    """The files that end in `suffix` in data/`folder`; `what` is what a user calls one.

    `otherwise` says what a user may give in place of a name.
    """

    what: str
    folder: str
    suffix: str = ".toml"
    otherwise: str = ""

    @property
    def place(self) -> Traversable:
        """The folder."""
        return files("siliconprof") / "data" / self.folder

    def names(self) -> list[str]:
        """Sorted stems of the files."""
        return sorted(
            entry.name.removesuffix(self.suffix)
            for entry in self.place.iterdir()
            if entry.name.endswith(self.suffix)
        )

    def file(self, name: str) -> Traversable:
        """The file of a name. Raises: UnknownNameError with the nearest names."""
        valid = self.names()
        if name not in valid:
            raise unknown_name(self.what, name, valid, self.otherwise)
        return self.place / f"{name}{self.suffix}"
