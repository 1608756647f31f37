from __future__ import annotations

import pytest

from siliconprof.cli import application

COMMANDS = [command.name for command in application().registered_commands]


def test_help_lists_every_command(call):
    status, out = call("--help")
    assert status == 0
    assert len(COMMANDS) >= 13 and all(command in out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_json(call, command):
    status, out = call(command, "--help")
    assert status == 0
    assert f"Example: siliconprof {command}" in " ".join(out.split())
    assert "--json" in out


def test_an_unknown_command_is_wrong_use(call):
    assert call("prdict")[0] == 2
    for word in ("./run.json", "/tmp", "_", "\udcff"):
        assert call(word) == (2, "")


def test_an_unknown_option_is_wrong_use(call):
    assert call("devices", "--colour")[0] == 2
