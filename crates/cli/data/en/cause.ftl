# What errors say. In English the crates of annals have the words.
