"""Many replays of one recording: jobs, engines that play them, results, comparisons."""
