# 命令 hook 的文字。

hook-enabled = 钩子从现在起在 { $path } 生效；记忆存入 { $namespace }
hook-enabled-already = 钩子已经在 { $path } 生效；记忆存入 { $namespace }
hook-profile = 它的记忆采用配置方案 { $profile }
hook-propose-coding = 已经设了语言模型：`annals hook enable --profile coding` 让它找出下一次会话仍然成立的内容
hook-disabled = 钩子不再在 { $path } 生效；已保留的内容不变
hook-disabled-already = { $path } 本来就没有启用钩子
hook-acts = 钩子在 { $root } 生效：{ $namespace }
hook-acts-not = { $base } 尚未启用钩子；用 `annals hook enable` 启用
hook-acts-also = {"  "}也在 { $root } 生效：{ $namespace }
hook-failed = {"  "}失败 { $told }
hook-no-session = 还不知道这个项目有任何会话
hook-name-session = 请指明会话：`annals hook temporary on SESSION`
hook-temporary = { $namespace } 里的 { $session } 是临时会话：不保留它的任何内容，也不在其中显示记忆
hook-is-temporary = {"  "}会话 { $session } 是临时的：其中的内容都不保留，也不显示记忆；`annals hook temporary off` 结束这种状态
hook-none-temporary = 这个项目没有临时会话
hook-several-temporary = 这个项目有几个临时会话：{ $names }；请指明一个：`annals hook temporary off SESSION`
hook-was-not-temporary = { $namespace } 中的 { $session } 不是临时会话，没有改动
hook-not-temporary = { $namespace } 里的 { $session } 不再是临时会话；其间说过的内容不会补存
hook-find-project = 查找项目

hook-no-repository = { $path } 不在任何代码仓库里：钩子在它之下所有同样不属于仓库的文件夹里生效
