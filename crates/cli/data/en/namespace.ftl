# Texts of the commands namespace, and counts of one.

namespace-name = namespace
namespace-profile = profile
namespace-memories = memories
namespace-created = created
namespace-kinds = kinds
namespace-replaced = replaced texts
namespace-text = text
namespace-sessions = sessions
namespace-vectors = vectors
namespace-vectors-of-these = { $vectors }, { $graph_rows } of them in the graph
namespace-segments = text segments
namespace-segments-and = { $segments }, and { $unfolded } memories beside them
namespace-memory-in-use = memory in use
namespace-work = work waiting
namespace-job = job { $job }
namespace-job-not-run = has not run yet
namespace-job-ran = ran { $at }, took { $took_millis } ms
namespace-job-next = { $last }; next { $next }

namespace-none = no namespaces yet; the first memory makes one
namespace-made = made { $name } with profile { $profile }
namespace-goes-on = { $name } goes on under profile { $profile }
namespace-renamed = renamed { $from } to { $to }
namespace-and-files = { $count } and { $files }
namespace-deleted = deleted { $name } with { $count }
namespace-would-delete = { $name } with { $count } would be deleted; add --yes to do it
namespace-kept-in = what was written by hand and not yet brought into step is kept in { $path }

namespace-files-not-found = { $count ->
    [one] 1 mirrored file was not found in { $folder }: it was removed, or is on a disk that is away, as it was
   *[other] { $count } mirrored files were not found in { $folder }: they were removed, or are on a disk that is away, as they were
}
