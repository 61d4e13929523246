"""Whether a call may be paid for: hard caps a day, a cohort and a contestant."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from arena.records.answer import Caller, Completion, Trouble
from arena.records.cohort import CohortId, ContestantId
from arena.records.money import ZERO_USD, Usd, usd
from arena.records.settings import Budgets
from arena.store.pages.costs import Sent, Spent, SqliteCosts

NO_PRICE = (
    "a budget is set and no price is known for this model, so its cost cannot be held to it: "
    "configure price_in and price_out of the model, both 0 where it is your own machine's"
)


@dataclass(frozen=True, slots=True)
class BudgetPurse:
    """One cap and what is taken from it; `what` names it in words."""

    what: str
    cap: Usd
    spent: Spent
    reserved: Usd = ZERO_USD

    @property
    def left(self) -> Usd:
        """Dollars that a call may still take."""
        return usd(max(ZERO_USD, self.cap - self.spent.counted - self.reserved))

    def refusal(self, worst: Usd) -> str | None:
        """Say why a call is not affordable; None where it is."""
        if self.spent.counted + self.reserved + worst <= self.cap:
            return None
        reason = (
            f"the budget of {dollars(self.cap)} for {self.what} has {dollars(self.left)} left: "
            f"{dollars(self.spent.counted)} are spent, {dollars(self.reserved)} reserved for "
            f"calls under way, and this call may take {dollars(worst)}"
        )
        more = self.spent.unknown
        return (
            f"{reason}; {more} earlier calls of unknown cost are not counted"
            if more
            else reason
        )


@dataclass(slots=True)
class Guard:
    """Holds calls to the budgets: reserves the worst case before one, settles after it.

    What was spent before is read when a day or a cohort is first met, and then kept in mind:
    everything that is paid for in this process has to go through one guard. Nothing is
    awaited between looking and reserving, so callers that run at once cannot both take what
    is left. Without caps nothing is read and nothing refused.

    A cap can be passed by failures alone: each try that failed and may have been billed is
    counted as the worst case, and only the first was reserved.
    """

    budgets: Budgets
    spending: SqliteCosts
    _purses: dict[tuple[str, ...], BudgetPurse] = field(default_factory=dict)
    _cohorts: dict[CohortId, Mapping[ContestantId, Spent]] = field(default_factory=dict)
    _sent: dict[Caller, Sent] = field(default_factory=dict)

    def reserve(self, caller: Caller, at: datetime, worst: Usd | None) -> str | None:
        """Set aside what a call may cost at most, before it is sent.

        A call that waits for its answer was counted when it was sent: asking for that answer
        takes nothing more and is never refused.

        Returns:
            None where the call may be sent, and has to be settled afterwards; else why not,
            with nothing set aside.
        """
        if self.budgets == Budgets():
            return None
        sent = self._sent.get(caller) or self.spending.batched(caller)
        if sent is not None:
            self._sent[caller] = sent
            return None
        if worst is None:
            return NO_PRICE
        keys = list(self._keys(caller, _day(at)))
        purses = [self._purse(key) for key in keys]
        refusals = (purse.refusal(worst) for purse in purses)
        refusal = next((reason for reason in refusals if reason is not None), None)
        if refusal is None:
            for key, purse in zip(keys, purses, strict=True):
                self._purses[key] = replace(purse, reserved=usd(purse.reserved + worst))
        return refusal

    def settle(
        self, caller: Caller, at: datetime, reserved: Usd | None, completion: Completion | None
    ) -> None:
        """Count what a call has cost in place of what was set aside for it.

        Args:
            caller: Whose call it was.
            at: The moment that it was reserved at.
            reserved: What was set aside.
            completion: What came back; None where nothing did, which may have been billed.
        """
        if self.budgets == Budgets():
            return
        day, held = _day(at), reserved or ZERO_USD
        if completion is not None and completion.trouble is Trouble.PENDING:
            if caller not in self._sent:
                self._sent[caller] = Sent(day, reserved)
                self._count(caller, day, held, held)
            return
        sent = self._sent.pop(caller, None)
        if sent is None:
            self._count(caller, day, charged(completion, held), held)
        else:
            before = sent.reserved or ZERO_USD
            self._count(caller, sent.day, usd(charged(completion, before) - before), ZERO_USD)

    def purses(self, at: datetime, cohorts: Iterable[CohortId]) -> Iterator[BudgetPurse]:
        """Show the caps there are: of the day, of these cohorts, and of who is nearest to it.

        In each cohort that is the contestant that has spent most; there is none where nobody
        has spent anything.
        """
        if self.budgets.day is not None:
            yield self._purse(("day", _day(at).isoformat()))
        for cohort in cohorts:
            if self.budgets.cohort is not None:
                yield self._purse(("cohort", cohort))
            by_seat = self._of(cohort) if self.budgets.contestant is not None else {}
            if by_seat:
                dearest = max(by_seat, key=lambda who: by_seat[who].counted)
                yield self._purse(("contestant", cohort, dearest))

    def _count(self, caller: Caller, day: date, cost: Usd, held: Usd) -> None:
        """Add to what is spent; a purse that was not opened reads it from the tape later."""
        for key in self._keys(caller, day):
            purse = self._purses.get(key)
            if purse is not None:
                spent = replace(purse.spent, counted=usd(purse.spent.counted + cost))
                self._purses[key] = replace(
                    purse, spent=spent, reserved=usd(purse.reserved - held)
                )

    def _keys(self, caller: Caller, day: date) -> Iterator[tuple[str, ...]]:
        """Name the purses that a call is paid from: those that have a cap."""
        if self.budgets.day is not None:
            yield ("day", day.isoformat())
        if self.budgets.cohort is not None:
            yield ("cohort", caller.cohort)
        if self.budgets.contestant is not None:
            yield ("contestant", caller.cohort, caller.contestant)

    def _purse(self, key: tuple[str, ...]) -> BudgetPurse:
        if key not in self._purses:
            self._purses[key] = self._opened(key)
        return self._purses[key]

    def _opened(self, key: tuple[str, ...]) -> BudgetPurse:
        match key:
            case ("day", day):
                cap, spent = self.budgets.day, self.spending.on(date.fromisoformat(day))
                return BudgetPurse(f"a day ({day})", cap or ZERO_USD, spent)
            case ("cohort", name):
                cohort = CohortId(name)
                cap, spent = self.budgets.cohort, together(self._of(cohort).values())
                return BudgetPurse(f"cohort {name}", cap or ZERO_USD, spent)
            case ("contestant", name, who):
                spent = self._of(CohortId(name)).get(ContestantId(who), Spent())
                cap = self.budgets.contestant
                return BudgetPurse(f"{who} in cohort {name}", cap or ZERO_USD, spent)
        raise LookupError(f"no purse is called {key}")

    def _of(self, cohort: CohortId) -> Mapping[ContestantId, Spent]:
        if cohort not in self._cohorts:
            self._cohorts[cohort] = self.spending.of_cohort(cohort)
        return self._cohorts[cohort]


def charged(completion: Completion | None, worst: Usd) -> Usd:
    """Give the dollars a call counts for: its cost, and what may have been billed besides.

    Each attempt that failed and may have been billed counts as the worst case. Without a
    known cost so does each that was or may have been billed, and a call that is not known to
    have been tried counts as one; `store.pages.costs` counts what is on the tape alike.
    """
    if completion is None:
        return worst
    tries, cost = completion.attempts, completion.usage.cost
    if cost is not None:
        failed = [a for a in tries if a.billed is None and a.trouble is not None]
        return usd(cost + worst * len(failed))
    if not tries:
        return worst
    return usd(worst * sum(a.billed is not False for a in tries))


def together(several: Iterable[Spent]) -> Spent:
    """Add up several amounts spent."""
    all_of_them = tuple(several)
    return Spent(
        usd(sum((spent.counted for spent in all_of_them), ZERO_USD)),
        sum(spent.unknown for spent in all_of_them),
    )


def dollars(amount: Usd) -> str:
    """Write dollars exactly, with cents at least.

    >>> dollars(usd("1.5")), dollars(usd("0.000120")), dollars(usd(3))
    ('$1.50', '$0.00012', '$3.00')
    """
    units, _, part = f"{amount:f}".partition(".")
    return f"${units}.{part.rstrip('0'):0<2}"


def _day(at: datetime) -> date:
    return at.astimezone(UTC).date()
