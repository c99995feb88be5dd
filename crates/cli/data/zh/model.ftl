# 命令 model 的文字。

model-no-folder = 没有存放模型的文件夹；请把 ANNALS_MODELS 设为一个文件夹
model-is-in = { $name } 位于 { $dir }；使用时加上 --embedder { $name }
model-none = { $models } 里没有模型；内置的嵌入模型不需要任何文件
model-ready = 可用

model-no-tool = 这个配置方案没有工具 { $tool }
model-tools-are = 它的工具有 { $names }
model-not-done = 调用没有完成；原因见结果
model-no-profile = 没有配置方案 { $profile }

model-removed = 已移除 { $name }
