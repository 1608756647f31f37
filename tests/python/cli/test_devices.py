from __future__ import annotations

import siliconprof as sp


def test_every_device_is_listed(call, document):
    status, out = call("devices")
    assert status == 0
    assert all(id in out for id in sp.devices())
    assert [entry["id"] for entry in document("devices")["devices"]] == sp.devices()


def test_every_number_has_kind_and_source(document):
    (entry,) = document("devices", "m2-ultra")["devices"]
    assert entry["numbers"]
    for number in entry["numbers"].values():
        assert number["kind"] in ("spec", "measured", "fitted", "assumed")
        assert number["source"]


def test_one_device_is_shown_with_its_sources(call):
    status, out = call("devices", "m2-ultra")
    assert status == 0
    assert "memory.bandwidth_bytes_per_s" in out


def test_an_unknown_device_is_wrong_use(call):
    assert call("devices", "m2-ulta")[0] == 2
