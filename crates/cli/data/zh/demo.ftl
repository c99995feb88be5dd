# 命令 demo 的文字。

demo-no-conversation = 示例里没有对话
demo-was = 演示到此结束。
demo-turns = 一段中英文对话，共 { $turns } 轮，{ $from } 至 { $until }

demo-own = 现在记点你自己的东西：
