# The studio: typed memories of a user.

heading-recalled =
    You are an AI assistant.

    Background information about the user:
kind-preference = Preference
kind-fact = Fact
kind-lesson = Lesson
kind-goal = Goal
kind-context = Context
