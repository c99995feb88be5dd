# 命令 queue 的文字。

queue-again-all = 已重新排队：{ $work }
queue-none = 没有等待的后台任务
queue-left-out = 模型最近的回答中没有采用的：
queue-waits = 等待
queue-running = 进行中
queue-given-up = 已放弃

queue-dropped = 已丢弃 { $number }
queue-again = 已重新排队 { $number }
