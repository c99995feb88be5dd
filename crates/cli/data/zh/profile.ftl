# 命令 profile 的文字。

profile-from-file = 本数据库
profile-the-profile = 配置方案
profile-correct = 请改正这一行；`annals profile show NAME` 打印一份完整的配置方案，可作对照
profile-odd = 可疑：
profile-stored = 已存入配置方案 { $name }

profile-stored-used = 已存入配置方案 { $name }；{ $count } 个命名空间从现在起改用它
profile-in-file = { $path }，{ $message }
