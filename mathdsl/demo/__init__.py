"""The main job: compile the topic classifier of `examples/lstm_topic.tex` and train it on text that every install has."""
