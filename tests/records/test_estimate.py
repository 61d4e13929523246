"""What estimates say of themselves."""

from arena.records.estimate import Estimate, Interval


def test_an_interval_ends_where_the_quantity_does() -> None:
    wide = Estimate(0.6, 3, 2, interval=Interval(-0.2, 1.4, 0.95, "t"))
    assert wide.within(0.0, 1.0).interval == Interval(0.0, 1.0, 0.95, "t")


def test_an_interval_that_fits_is_left_as_it_is() -> None:
    narrow = Estimate(0.6, 30, 20, interval=Interval(0.5, 0.7, 0.95, "t"))
    assert narrow.within(0.0, 1.0) == narrow


def test_what_has_no_interval_gets_none() -> None:
    alone = Estimate(0.6, 3, 1)
    assert alone.within(0.0, 1.0) is alone
