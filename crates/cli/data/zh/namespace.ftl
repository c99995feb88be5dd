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
