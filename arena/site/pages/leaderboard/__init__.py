"""The front page: the leaderboard, its headline, ranks and evidence."""
