"""An agent that bets the smallest stake on NO of the first market, every time."""


class Stubborn:
    def __init__(self, p=0.25):
        self.p = p

    def answer(self, briefing):
        first = briefing.offers[0].alias
        bet = {"market_id": first, "side": "NO", "amount": briefing.floor}
        return {"forecasts": {first: self.p}, "action": "BET", "bets": [bet]}
