# Texts of `annals jobs`.

jobs-every-profile = every profile
jobs-would-do = { $profile }: what the rules would do now
jobs-due-nothing = nothing
jobs-due = due
jobs-why-resume = goes on after a failure
jobs-why-start = at the start
jobs-why-first = it has never run
jobs-why-interval = its interval is over
jobs-why-hour = its hour has come
jobs-why-event = at the end of a session
jobs-why-asked = asked for
jobs-no-folder = passed over: no folder for its files is set; see `annals jobs run --help`
jobs-not-made = passed over: not made by this version
jobs-step-failed = failed
jobs-next-attempt = ; next attempt { $at }
jobs-nothing-to-do = nothing to do
jobs-now = now
jobs-at-event = at its event

jobs-none = no profile of a namespace has jobs
jobs-stopped = stopped
jobs-failed = failed { $times }: { $error }
jobs-cut-off = cut off
jobs-put-off = { $step } put off: { $error }

jobs-clock-ahead = { $namespace }: nothing used it from { $from } to { $to }, and the clock may be ahead: nothing is archived or deleted for its age; if the clock is right, say so with `annals jobs trust-clock`
jobs-clock-trusted = { $namespace }: the time from { $from } to { $to } counts
jobs-clock-right = the clock is not in doubt
jobs-nothing-due = nothing is due
jobs-background = background work: { $troubles }; see `annals queue list`
jobs-job-failed = a job failed: { $error }
jobs-job-failed-advice = what was done stays done; `annals jobs run` goes on with the rest

jobs-stopped-job = stopped { $job } of { $profile }
jobs-resumed-job = resumed { $job } of { $profile }

jobs-count-passes = { $count ->
    [one] 1 pass
   *[other] { $count } passes
}

jobs-count-in = { $count } in { $namespace }
jobs-count-of-kind = { $count } of kind { $kind }
