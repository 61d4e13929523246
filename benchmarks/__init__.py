"""Speed and memory, each as a ratio against a floor or a limit measured in the same run."""
