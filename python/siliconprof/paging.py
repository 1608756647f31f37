"""What a step reads back from swap when its memory is limited: a replay of its trace."""

from __future__ import annotations

from collections import OrderedDict

from ._core import Trace

# Memory is replayed in pieces of this size: far below a tensor, far above a page.
PIECE_BYTES = 1 << 18
_LASTING = ("parameter", "optimizer_state", "input")

_Piece = tuple[int, int]  # a tensor and a place in it
_Sized = tuple[_Piece, int]  # and its bytes


def swapped_in(trace: Trace, limit_bytes: int, passes: int) -> list[int]:
    """Bytes read back in each of `passes` runs of the trace, one after the other.

    The model: each call touches its operands from end to end; what was touched longest ago leaves
    first (LRU); what has left is read back whole when it is touched again. What nobody reads any
    more gives its room back: the arena's next tensor takes it. The kernel's order is only nearly
    LRU, which keeps some of what a loop over more than the limit loses here: a bound from above.
    """
    calls = _touches(trace)
    resident: OrderedDict[_Piece, int] = OrderedDict()
    held_bytes = 0
    seen: set[_Piece] = set()
    found = []
    for _ in range(passes):
        read_back = 0
        for touched, dead in calls:
            for piece, bytes in touched:
                if piece in resident:
                    resident.move_to_end(piece)
                    continue
                read_back += bytes if piece in seen else 0
                seen.add(piece)
                resident[piece] = bytes
                held_bytes += bytes
                while held_bytes > limit_bytes and len(resident) > 1:
                    held_bytes -= resident.popitem(last=False)[1]
            for piece, _ in dead:
                held_bytes -= resident.pop(piece, 0)
                seen.discard(piece)
        found.append(read_back)
    return found


def _touches(trace: Trace) -> list[tuple[list[_Sized], list[_Sized]]]:
    """For each call the pieces that it touches, in order, and those that nobody needs after it."""
    tensors = trace.tensors
    owners = list(range(len(tensors)))
    for id, info in enumerate(tensors):
        if info.base is not None:  # a view of a tensor before it, whose memory it shares
            owners[id] = owners[info.base]
    last: dict[int, int] = {}
    calls = [[id for id in (*call.inputs, *call.outputs) if id >= 0] for call in trace.calls]
    for index, ids in enumerate(calls):
        for id in ids:
            if tensors[owners[id]].role not in _LASTING:
                last[owners[id]] = index

    def pieces(id: int) -> list[_Sized]:
        starts = range(0, tensors[id].bytes, PIECE_BYTES)
        return [
            ((owners[id], start), min(PIECE_BYTES, tensors[id].bytes - start)) for start in starts
        ]

    return [
        (
            [piece for id in ids for piece in pieces(id)],
            [piece for id, end in last.items() if end == index for piece in pieces(id)],
        )
        for index, ids in enumerate(calls)
    ]
