# Texts of `annals profile`.

profile-from-file = this file
profile-the-profile = the profile
profile-correct = correct that line; `annals profile show NAME` prints a whole profile to compare it with
profile-odd = odd:
profile-stored = stored profile { $name }

profile-stored-used = stored profile { $name }; { $count ->
    [one] { $count } namespace goes on
   *[other] { $count } namespaces go on
} under it now
profile-in-file = { $path }, { $message }
