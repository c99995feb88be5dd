# 命令 namespace 以及命名空间统计的文字。

namespace-name = 命名空间
namespace-profile = 配置方案
namespace-memories = 记忆
namespace-created = 创建
namespace-kinds = 类型
namespace-replaced = 已替换的文本
namespace-text = 文本
namespace-sessions = 会话
namespace-vectors = 向量
namespace-vectors-of-these = { $vectors }，其中 { $graph_rows } 个在图索引里
namespace-segments = 文本段
namespace-segments-and = { $segments }，另有 { $unfolded } 条记忆尚未并入
namespace-memory-in-use = 占用内存
namespace-work = 待办任务
namespace-job = 作业 { $job }
namespace-job-not-run = 还没有运行过
namespace-job-ran = { $at } 运行过，用时 { $took_millis } 毫秒
namespace-job-next = { $last }；下次 { $next }

namespace-none = 还没有命名空间；存入第一条记忆时会自动创建
namespace-made = 已创建 { $name }，配置方案为 { $profile }
namespace-goes-on = { $name } 已改用配置方案 { $profile }
namespace-renamed = 已把 { $from } 改名为 { $to }
namespace-and-files = { $count }和 { $files }
namespace-deleted = 已删除 { $name } 及其 { $count }
namespace-would-delete = { $name } 及其 { $count }将被删除；加上 --yes 执行
namespace-kept-in = 手工写入、尚未同步的内容保存在 { $path }

namespace-files-not-found = 在 { $folder } 里没有找到 { $count } 个镜像文件：可能已被移除，或者原样留在没有连接的磁盘上

namespace-apart = 这个文件夹自称是 { $name }，而该项目的记忆属于 { $folder }：因此它使用自己单独的记忆；如果这是你自己的克隆，请运行 `annals namespace adopt`
namespace-adopted = 这个文件夹从现在起使用 { $name } 的记忆
namespace-hooks-moved = 在其中生效的钩子从现在起也把对话保存在那里
namespace-kept-apart = 此前在这里存入的内容仍在 { $name }
namespace-no-repository = 工作目录不在任何仓库里
namespace-no-address = 这个仓库没有写明 `origin` 的地址：它使用自己单独的记忆
namespace-projects-damaged = 无法读取 { $path }：{ $error }
namespace-projects-remove = 请改正或删除它：删除后，每个项目由下一个使用它的文件夹重新登记
namespace-projects-passed-over = { $failed }；在能够读取之前，工作目录使用自己单独的记忆
