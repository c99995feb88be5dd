# 对参数的回答和报错。

usage-takes-a-command = `{ $parent }` 后面要接一个命令
usage-see-help = 查看 `{ $parent } --help`
usage-no-command = 没有命令 `{ $parent } { $word }`
usage-lists-commands = `{ $parent } --help` 列出有哪些命令
usage-unknown = 不认识参数 '{ $arg }'
usage-no-value = '{ $arg }' 需要一个值，却没有给出
usage-bad-value = '{ $arg }' 的值 '{ $value }' 无效
usage-refused-value = '{ $arg }' 的值 '{ $value }' 无效：{ $reason }
usage-too-many-values = '{ $arg }' 不能再接更多的值，多出了 '{ $value }'
usage-too-few-values = '{ $arg }' 至少需要 { $least } 个值
usage-number-of-values = '{ $arg }' 需要 { $expected } 个值
usage-conflict = 参数 '{ $arg }' 不能与 '{ $other }' 同时使用
usage-missing = 缺少必需的参数：{ $args }
usage-no-equals = 给 '{ $arg }' 赋值要用等号
usage-not-unicode = 有参数不是有效的 UTF-8
usage-known-values = 可选的值：{ $values }
usage-alike = 是不是想写：{ $alike }
usage-usage = 用法：{ $usage }
usage-heading-usage = 用法：
usage-heading-commands = 命令：
usage-heading-arguments = 参数：
usage-heading-options = 选项：
usage-default = {" "}[默认：{ $value }]
usage-values = {" "}[可选：{ $values }]
