"""Fields that are whole numbers, by the schema of the format: ranges of them are rounded."""

import pytest

from windward._format.vary import read_field


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("flow.f.initial_window=1..10 count 4", [1, 4, 7, 10]),
        ("flow.f.initial_window=1..3 count 9", [1, 2, 3]),
        ("flow.f.initial_window=1..10 log 4", [1, 2, 5, 10]),
        ("flow.f.initial_window=1..10 step 2.5", [1, 4, 6, 9]),
        ("flow.f.quick_acks=0..10 count 3", [0, 5, 10]),
        ("wifi.w.ampdu.mpdus=1..64 count 2", [1, 64]),
        ("wifi.w.block_ack.window=1..64 count 3", [1, 33, 64]),
        ("wifi.w.block_ack.attempts=1..4 count 3", [1, 3, 4]),
        ("cell.*.layers=1..4 count 4", [1, 2, 3, 4]),
        ("cell.*.per_slot=1..4 count 4", [1, 2, 3, 4]),
        ("cell.*.harq.transmissions=1..4 count 4", [1, 2, 3, 4]),
        ("cell.*.rlc.poll_packets=1..4 count 4", [1, 2, 3, 4]),
        ("link.l.queue.queues=1..1024 log 3", [1, 32, 1024]),
        ("link.l.buffer=10..25 packets count 3", ["10 packets", "18 packets", "25 packets"]),
        # No counts: a share, times, a threshold in packets that may be a part of one.
        ("link.l.loss=0..1 count 3", [0.0, 0.5, 1.0]),
        ("link.l.delay=1..2 ms count 3", ["1 ms", "1.5 ms", "2 ms"]),
        ("link.l.buffer=1..2 ms count 3", ["1 ms", "1.5 ms", "2 ms"]),
    ],
)
def test_counts_are_rounded(field: str, values: list[object]) -> None:
    found = list(read_field(field).values)
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


def test_each_whole_number_has_an_equal_part_of_a_range() -> None:
    found = read_field("flow.f.initial_window=1..10").range
    assert found is not None
    assert [found.at((at + 0.5) / 10) for at in range(10)] == list(range(1, 11))
    assert [found.at(share) for share in (0.0, 0.099, 0.101, 1.0)] == [1, 1, 2, 10]
    assert [found.at(found.share(value)) for value in (1, 4, 10)] == [1, 4, 10]
    with pytest.raises(ValueError, match="the field is a whole number, and there is none in the range"):
        read_field("flow.f.initial_window=1.2..1.8")
