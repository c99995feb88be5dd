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

namespace-apart = the folder says that it is { $name }, whose memory belongs to { $folder }: it has a memory of its own; if it is a clone of yours, say so with `annals namespace adopt`
namespace-adopted = this folder has the memory of { $name } from now on
namespace-hooks-moved = hooks that act in it keep what is said there from now on
namespace-kept-apart = what was kept here so far stays in { $name }
namespace-no-repository = the working directory lies in no repository
namespace-no-address = this repository names no address of `origin`: it has a memory of its own
namespace-projects-damaged = { $path } cannot be read: { $error }
namespace-projects-remove = correct it, or remove it: each project then begins anew with the next folder that it is worked on in
namespace-projects-passed-over = { $failed }; until it can be read the working directory has a memory of its own
