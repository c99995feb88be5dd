# The studio: typed memories of a user.

heading-recalled =
    你是一个 AI 助手。

    关于用户的背景信息：
kind-preference = 偏好
kind-fact = 事实
kind-lesson = 教训
kind-goal = 目标
kind-context = 情境
