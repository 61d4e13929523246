"""The numbers of the books and of the leaderboard: money, bets, and taking part."""

from functools import partial

from arena.metrics.metric import BetterDirection, Metric, MetricUnit

_EVENTS = "t over events (CR1; CR2 where they are few or uneven)"
_LOSSES = "t over events (CR3), on the scale of logarithms, or a larger variance"
_BRIER = "Brier (1950), Monthly Weather Review 78, in the one-sided form for yes/no events"
_FORECASTER_ARENA = "Forecaster Arena, docs/SCORING.md, version 1"
LINEAR_CAVEAT = "a small winning bet is scored as a bad one"

_dollars = partial(Metric, unit=MetricUnit.DOLLARS, decimals=2)
_return = partial(
    Metric, unit=MetricUnit.PERCENT, better=BetterDirection.HIGHER, decimals=2, signed=True
)
_brier = partial(
    Metric,
    unit=MetricUnit.SCORE,
    better=BetterDirection.LOWER,
    decimals=4,
    interval=_LOSSES,
    source=_BRIER,
)
_probability = partial(Metric, unit=MetricUnit.PROBABILITY, decimals=4)

MONEY = (
    _dollars(
        "total",
        "Equity",
        "Equity",
        "Cash, less what is owed, plus the value of the open positions. Unknown while any "
        "open position has no price.",
        symbol="V",
        formulas=("V = C - D + Σw",),
        better=BetterDirection.HIGHER,
    ),
    _return(
        "returned",
        "Return",
        "Return",
        "Profit or loss as a share of the opening capital. Over several cohorts the dollars "
        "are added first, then divided: each cohort weighs as much as its capital. It is n/a "
        "while an open position has no price, because the total is not known then.",
        symbol="r",
        formulas=("r = (V - K) / K",),
    ),
    _return(
        "returned_last",
        "Return at the last known prices",
        "At last prices",
        "The return with each open position that has no price at the last price that it had, "
        "however old; the age of the oldest of these prices stands beside it. Where every "
        "position has a price it is the return. It is n/a where a position never had a price. "
        "Nobody is ranked by it.",
        symbol="r_l",
        formulas=("r_l = (V_l - K) / K",),
        caveat="An old price is not what the position can be sold for.",
    ),
    _dollars(
        "pnl",
        "Profit or loss",
        "P/L",
        "Equity above or below the opening capital K. It is also the realised result "
        "plus the unrealised one, less the fees F.",
        symbol="P",
        formulas=("P = V - K", "P = R + U - F"),
        better=BetterDirection.HIGHER,
        signed=True,
    ),
    _dollars(
        "realised",
        "Realised profit or loss before fees",
        "Realised",
        "What sales and settlements brought, above the cost of the shares that left the "
        "books. Sales leave at average cost. Fees are not in it.",
        symbol="R",
        formulas=("R = Σ(g - k)",),
        better=BetterDirection.HIGHER,
        signed=True,
    ),
    _dollars(
        "unrealised",
        "Unrealised profit or loss before fees",
        "Unrealised",
        "The mark-to-market value of the open positions, less their cost. It is n/a while any "
        "of them has no price.",
        symbol="U",
        formulas=("U = Σ(w - k)",),
        better=BetterDirection.HIGHER,
        signed=True,
    ),
    _dollars(
        "fees",
        "Fees",
        "Fees",
        "What the venue charged for trades, under the cohort's fee rule.",
        symbol="F",
        better=BetterDirection.LOWER,
    ),
    _dollars(
        "mark",
        "Value of an open position, mark-to-market",
        "Value",
        "A cohort's rules say which price counts. At the bid, a position has the value that "
        "selling it would bring now: YES shares at the bid, NO shares at one less the ask. At "
        "the middle, it has the shares times the middle of the book, on its own side. The "
        "price is that of the newest book that had both sides; where there is none, or it is "
        "older than max_mark_age, the position is unpriced: it is never valued at its cost.",
        symbol="w",
        formulas=("w_bid = N * b", "w_mid = N * (b + a) / 2"),
        better=BetterDirection.HIGHER,
    ),
)

FORECASTS = (
    _brier(
        "forecast",
        "Brier score of all stated forecasts",
        "All stated",
        "The mean Brier score of every probability the contestant wrote down, bet on or not, "
        "for markets that have resolved YES or NO. Each round's statement counts.",
        symbol="B_all",
        formulas=("B = Σ(p - o)^2 / n",),
    ),
    _brier(
        "stated",
        "Brier score of bets, stated probability",
        "Stated",
        "The mean Brier score over resolved fills of the probability that the contestant wrote "
        "down for the market it bet on. Bets without a statement are left out, so its n can "
        "be smaller than that of the other two.",
        symbol="B_s",
        formulas=("B_s = Σ(p_s - o)^2 / n",),
    ),
    _brier(
        "kelly",
        "Brier score of bets, Kelly mapping",
        "Kelly",
        "The mean Brier score over resolved fills of the probability at which a Kelly bettor "
        "would have staked as much.",
        symbol="B_k",
        formulas=("B_k = Σ(p_k - o)^2 / n",),
    ),
    _brier(
        "linear",
        "Brier score of bets, linear mapping",
        "Linear",
        "The mean Brier score over resolved fills of the confidence itself, read as a "
        "probability.",
        symbol="B_l",
        formulas=("B_l = Σ(p_l - o)^2 / n",),
        source=f"{_BRIER}; the mapping: {_FORECASTER_ARENA}",
        caveat="Not a forecast's score: " + LINEAR_CAVEAT + ", because a stake far below the "
        "largest bet is read as a belief near zero. It is published because it is the known "
        "number; read the Kelly and the stated column beside it.",
    ),
    _brier(
        "brier",
        "Brier score",
        "Brier",
        "The squared difference of a probability of YES and the outcome, which is 1 for YES "
        "and 0 for NO. The score of several forecasts is their mean. A forecast of one half "
        "always scores 0.25.",
        symbol="B",
        formulas=("B = (p - o)^2",),
        source=f"{_BRIER}: half of the original",
    ),
    _probability(
        "confidence",
        "Confidence",
        "Confidence",
        "The stake as a share of the largest bet that the rules allowed on the cash it is "
        "measured against, cut to lie between 0 and 1. Without cash there is no confidence.",
        symbol="c",
        formulas=("c = max(0, min(1, s / (f * M)))",),
        source=_FORECASTER_ARENA,
    ),
    _probability(
        "linear_p",
        "Implied probability, linear",
        "Linear",
        "The confidence as the probability of the side that was bet on.",
        symbol="p_l",
        formulas=("p_YES = c", "p_NO = 1 - c"),
        source=_FORECASTER_ARENA,
        caveat="Not a probability forecast: " + LINEAR_CAVEAT + ".",
    ),
    _probability(
        "kelly_p",
        "Implied probability, Kelly",
        "Kelly",
        "With a dollars paid a share, fee included, the belief in the side is q: confidence 0 "
        "says the market is right, confidence 1 says certain. Where the largest bet is a "
        "quarter of cash it is the belief of a quarter-Kelly bettor.",
        symbol="p_k",
        formulas=("q = a + c * (1 - a)", "p_YES = q", "p_NO = 1 - q"),
        source="Kelly (1956), Bell System Technical Journal 35, solved for the probability",
    ),
    _probability(
        "stated_p",
        "Stated probability",
        "Stated",
        "The probability of YES that the contestant wrote down in the same reply; n/a where "
        "it wrote none.",
        symbol="p_s",
    ),
)

BETS = (
    Metric(
        "win_rate",
        "Win rate",
        "Win rate",
        "The share of resolved fills whose side won. It says little alone: who buys "
        "favourites wins often. Read it beside the break-even rate.",
        symbol="h",
        formulas=("h = W / n",),
        unit=MetricUnit.PERCENT,
        better=BetterDirection.HIGHER,
        decimals=1,
        interval=_EVENTS,
    ),
    Metric(
        "break_even",
        "Break-even rate",
        "Break-even",
        "The mean price paid by the same fills, without fees: the win rate at which equal "
        "numbers of shares would have made neither profit nor loss.",
        symbol="e",
        formulas=("e = Σa / n",),
        unit=MetricUnit.PERCENT,
        decimals=1,
    ),
    Metric(
        "price",
        "Price",
        "Price",
        "Dollars for one share that pays one dollar if its side wins: what a fill traded at, "
        "or what a book shows.",
        symbol="a, b",
        unit=MetricUnit.PRICE,
        decimals=4,
    ),
    Metric(
        "shares",
        "Shares",
        "Shares",
        "How many shares, each of which pays one dollar if its side wins.",
        symbol="N",
        unit=MetricUnit.SHARES,
        decimals=2,
    ),
    _dollars(
        "amount",
        "Cost and proceeds",
        "Amount",
        "Dollars that a bet staked or that a sale brought, without the fee.",
        symbol="k",
    ),
)

RUNNING = (
    Metric(
        "rank",
        "Rank",
        "Rank",
        "One more than the number of contestants with a better value of what the table is "
        "ranked by. Equal values share a rank; a value that is n/a has none and stands last.",
    ),
    _dollars(
        "cost",
        "Cost",
        "Cost",
        "What the contestant's answers cost, as its provider billed or priced them. It is "
        "unknown, and not 0, as soon as the cost of one answer is unknown.",
        better=BetterDirection.LOWER,
    ),
    Metric(
        "turns",
        "Turns that could be read / failed",
        "Turns ok / failed",
        "A turn fails when no answer came or it could not be read as a decision. A failed "
        "turn is never counted as a decision to hold.",
        unit=MetricUnit.COUNT,
    ),
    Metric(
        "open",
        "Open positions",
        "Open",
        "Positions that are neither sold nor settled, and how many of them have no price.",
        unit=MetricUnit.COUNT,
    ),
    Metric(
        "remembered",
        "Asked about days it may remember",
        "May remember",
        "The share of resolved forecasts whose outcome was known by the last day that the "
        "contestant's training may hold. What was asked before that day and ended after it is "
        "counted apart, and so is all of a contestant whose cut-off is not known.",
        symbol="c",
        formulas=("c = n_known / n",),
        unit=MetricUnit.PERCENT,
        better=BetterDirection.LOWER,
        decimals=1,
        caveat="A cut-off is what a model's maker says, and it may know more.",
    ),
)

RULES = (
    Metric(
        "exclusions",
        "Excluded fills and forecasts",
        "Excluded",
        "A market that resolves void or at a fraction has no yes/no truth: its fills and "
        "forecasts enter no score and no win rate, and are counted as excluded. Their money "
        "still counts: void gives the cost back, a fraction pays that fraction. What has not "
        "resolved enters no score at all.",
    ),
    Metric(
        "reversal",
        "When a venue changes its mind",
        "Reversal",
        "A resolution has a revision. If a venue takes its word back, settlements are reversed "
        "leg by leg, scores are undone, and the new word is settled under the next revision. "
        "What was already spent is owed, and repaid from the next dollars that come in.",
    ),
    Metric(
        "significance",
        "What is not claimed",
        "Not claimed",
        "The order of a table is not a test. A better line may be luck, above all while few "
        "markets have resolved. What is tested are differences of a score on common questions, "
        "with the largest of six variances and Shaffer's correction over all pairs, and the "
        "range beside a rank is what that leaves open. arena score and arena compare say the "
        "same. Differences of returns between contestants are not tested. Nothing else is "
        "claimed: no page here says that anybody wins.",
    ),
)


_MADE = "definition"
_DAYS = (
    "A day's return compares equity at its end with equity at the end of the day before and "
    "the capital of cohorts that started since. A day on which a position had no price is "
    "passed over."
)

RISK = (
    _return(
        "realised_return",
        "Realised return",
        "Realised return",
        "Realised profit or loss less all fees, as a share of the opening capital. What is "
        "open counts with its fees alone, so that no price is needed. n counts what was "
        "settled or sold: a bet that was sold in parts counts once a part.",
        symbol="r_R",
        formulas=("r_R = (R - F) / K",),
        interval="t over events (CR1; CR2 where they are few or uneven)",
        source=_MADE,
        caveat="The interval assumes that events share no news and are alike in size. One "
        "large bet can be most of it.",
    ),
    _return(
        "max_drawdown",
        "Maximum drawdown",
        "Drawdown",
        "The largest fall of compounded daily returns from their peak, as a share of the peak; "
        "0 for a path that never fell. " + _DAYS,
        symbol="M_d",
        formulas=("M_d = min(v_t / max(v_s)) - 1",),
        source="Magdon-Ismail and Atiya (2004), Risk 17",
        caveat="A longer path has had more time to fall. Capital that lies idle softens it.",
    ),
    Metric(
        "volatility",
        "Volatility of daily returns",
        "Volatility",
        "The standard deviation of daily returns, of one day and not of a year. " + _DAYS,
        symbol="S_d",
        formulas=("S_d = sqrt(Σ(r_t - mean)^2 / (n - 1))",),
        unit=MetricUnit.PERCENT,
        better=BetterDirection.LOWER,
        decimals=2,
        source=_MADE,
        caveat="Prices that are seldom read move seldom, and make it too small.",
    ),
    _return(
        "worst_day",
        "Worst day",
        "Worst day",
        "The lowest daily return. " + _DAYS,
        symbol="r_min",
        formulas=("r_min = min(r_t)",),
        source=_MADE,
    ),
)

EFFORT = (
    Metric(
        "cost_per_forecast",
        "Cost per resolved forecast",
        "Cost/forecast",
        "What all answers cost, over the number of forecasts that have resolved YES or NO. It "
        "is unknown as soon as the cost of one answer is unknown.",
        symbol="k_f",
        formulas=("k_f = cost / n",),
        unit=MetricUnit.DOLLARS,
        better=BetterDirection.LOWER,
        decimals=6,
        source=_MADE,
        caveat="Answers whose markets have not resolved are paid for already.",
    ),
    Metric(
        "latency",
        "Time of an answer",
        "Latency",
        "The median over turns of the seconds that an answer took, with all its calls. Turns "
        "that failed count as long as they took.",
        symbol="t",
        unit=MetricUnit.SECONDS,
        better=BetterDirection.LOWER,
        decimals=1,
        source="the median; definition",
    ),
)


SPENDING = (
    Metric(
        "cost_turn",
        "Cost of a turn",
        "A turn",
        "The mean over the newest cohorts of what a turn cost in each. A cohort in which the "
        "cost of a turn is unknown is left out of the mean.",
        unit=MetricUnit.DOLLARS,
        better=BetterDirection.LOWER,
        decimals=4,
        interval="t over cohorts",
        source="definition",
    ),
    Metric(
        "tokens",
        "Tokens",
        "Tokens",
        "Tokens that providers counted: of questions, the part of those that was read from a "
        "provider's cache, and of answers. What nobody told is not in them.",
        unit=MetricUnit.COUNT,
        source="as the provider reports them",
    ),
    Metric(
        "cached_share",
        "Share of the question from the cache",
        "Cached",
        "Tokens of questions that the provider read from its cache, as a share of all tokens "
        "of questions.",
        unit=MetricUnit.PERCENT,
        decimals=1,
        source="definition",
    ),
    Metric(
        "calls",
        "Calls and attempts",
        "Calls",
        "A call is one question to a model. It may take several attempts, of which some fail "
        "and are made again; a re-ask is a call of its own, after an answer that could not be "
        "read. Whoever asks a model by itself counts as one call a turn. Costs also count "
        "calls that were sent and never came back; counts of replies do not.",
        unit=MetricUnit.COUNT,
        source="count",
    ),
    Metric(
        "maybe_billed",
        "Failed and perhaps billed",
        "Perhaps billed",
        "Attempts that failed in a way that does not say whether the provider charges for "
        "them, and calls that were sent and never heard of. Their cost is not in any sum.",
        unit=MetricUnit.COUNT,
        better=BetterDirection.LOWER,
        source="count",
    ),
    Metric(
        "unknown_cost",
        "Of unknown cost",
        "Unknown",
        "How many turns or calls have a cost that nobody stated and no price list knows. "
        "They are missing in the sum, which is then a lower bound.",
        unit=MetricUnit.COUNT,
        better=BetterDirection.LOWER,
        source="count",
    ),
)
