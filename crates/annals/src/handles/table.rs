//! How calls become public: one table makes the blocking handle, the asynchronous one, and the way
//! from other processes.
//!
//! A call has a body and a row. The body is a method of a private handle, such as `Reviews`, and
//! blocks. The row stands in the table of that handle, with the documentation of the call:
//!
//! ```text
//! calls! {
//!     for Reviews;
//!
//!     calls {
//!         /// At most `limit` memories that wait for a verdict.
//!         ///
//!         /// # Errors
//!         /// When the file cannot be read.
//!         fn pending(limit: own(usize)) -> Vec<PendingReview>;
//!     }
//! }
//!
//! impl Reviews {
//!     pub(crate) fn pending(&self, limit: usize) -> Result<Vec<PendingReview>, Error> { ... }
//! }
//! ```
//!
//! [`handles!`] makes `blocking::Reviews` and `asynchronous::Reviews`; [`calls!`] gives both a
//! method for each row. The blocking method runs the body, or has the owner of the file run it
//! ([`Target`](crate::handles::Target)); the asynchronous method runs the blocking one on a pool of
//! threads. [`calls!`] also makes `Reviews::serve_calls`, by which an owner runs the body for
//! another process. `for Graph(serve_reads), SnapshotGraph(local)` names that function where a
//! handle has several tables, and a handle that stays in its process.
//!
//! The mode of an argument says how it is passed on either side, and over the wire:
//!
//! | mode | blocking | asynchronous | wire |
//! |---|---|---|---|
//! | `own(T)` | `T` | `T` | `T` |
//! | `into(T)` | `impl Into<T>` | `impl Into<T>` | `T` |
//! | `lend(T)` | `&T` | `T` | `T` |
//! | `slice(T)` | `&[T]` | `impl Into<Vec<T>>` | array of `T` |
//! | `text` | `&str` | `impl Into<String>` | text |
//! | `texts` | `&[&str]` | `impl IntoIterator<Item: Into<String>>` | array of texts |
//! | `path` | `impl AsRef<Path>` | `impl Into<PathBuf>` | absolute path |
//! | `memory` | `impl TryInto<NewMemory, Error: Into<Error>>` | the same | `NewMemory` |
//! | `progress(T)` | `&mut dyn FnMut(T)` | `impl FnMut(T) + Send + 'static` | lent |
//! | `report(T)` | `&mut dyn FnMut(&T)` | | lent |
//! | `reader` | `&mut dyn BufRead` | | lent |
//! | `writer` | `&mut dyn Write` | | lent |

/// Makes the public handles of private ones of the same names. A `local` handle stays in its
/// process.
macro_rules! handles {
    ($(
        $(#[$doc:meta])*
        pub struct $handle:ident $(($local:ident))?;
        $(example { $(#[$example:meta])* })?
        $(asynchronous { $(#[$other:meta])* })?
    )+) => {
        $(
            impl $crate::handles::Holds for $handle {
                type Far = far_type!($($local)?);
            }
        )+

        pub(crate) mod blocking {
            $(
                $(#[$doc])*
                $(
                    ///
                    /// # Example
                    $(#[$example])*
                )?
                #[derive(Debug, Clone)]
                pub struct $handle(pub(crate) $crate::handles::Target<super::$handle>);

                impl From<super::$handle> for $handle {
                    fn from(handle: super::$handle) -> Self {
                        Self($crate::handles::Target::Here(handle))
                    }
                }
            )+
        }

        pub(crate) mod asynchronous {
            $(
                $(#[$doc])*
                ///
                /// Calls run on a pool of threads of its own, so they work inside any runtime and
                /// without one. A future that is dropped early may still take effect: what has
                /// begun is finished.
                $(
                    ///
                    /// # Example
                    $(#[$other])*
                )?
                #[derive(Debug, Clone)]
                pub struct $handle(pub(crate) super::blocking::$handle);

                impl $handle {
                    /// Runs a closure on the pool of threads, with the blocking handle: for calls
                    /// that borrow a reader, a writer or a callback, and for several calls in a
                    /// row.
                    pub async fn run<R: Send + 'static>(
                        &self,
                        work: impl FnOnce(&super::blocking::$handle) -> R + Send + 'static,
                    ) -> R {
                        let handle = self.0.clone();
                        ::blocking::unblock(move || work(&handle)).await
                    }
                }

                impl From<super::blocking::$handle> for $handle {
                    fn from(handle: super::blocking::$handle) -> Self {
                        Self(handle)
                    }
                }
            )+
        }
    };
}

/// Where the calls of a handle go that are not run here.
macro_rules! far_type {
    () => {
        $crate::handles::Proxy
    };
    (local) => {
        std::convert::Infallible
    };
}

/// Makes the methods of the public handles. Each section of a table may be missing; their order is:
///
/// - `handles`: further handles; the same on both sides, at once and without an error;
/// - `plain`: facts in memory of a `local` handle; the same on both sides, at once and without an
///   error;
/// - `opens`: calls whose answer is a `local` handle; they are not shared;
/// - `here`: calls that another process cannot make; they are not shared;
/// - `blocking`: calls that borrow readers, writers or callbacks; asynchronous callers use `run`;
/// - `calls`: all others. `example` after a row documents the blocking call with a test;
/// - `wire`: calls that only other processes make, by methods written beside the table.
macro_rules! calls {
    (@table $handle:ident {
        $(handles { $($(#[$hdoc:meta])* fn $hname:ident($($harg:ident: $hof:ty),*) -> $hout:ident;)* })?
        $(plain { $($(#[$pdoc:meta])* fn $pname:ident() -> $pout:ty;)* })?
        $(opens {
            $($(#[$odoc:meta])* fn $oname:ident($($oarg:ident: $omode:ident $(($oof:ty))?),*) -> $oout:ident;)*
        })?
        $(here {
            $(
                $(#[$edoc:meta])*
                fn $ename:ident($($earg:ident: $emode:ident $(($eof:ty))?),*) -> $eout:ty;
                $(example { $(#[$eexample:meta])* })?
            )*
        })?
        $(blocking {
            $($(#[$bdoc:meta])* fn $bname:ident($($barg:ident: $bmode:ident $(($bof:ty))?),*) -> $bout:ty;)*
        })?
        $(calls {
            $(
                $(#[$doc:meta])*
                fn $name:ident($($arg:ident: $mode:ident $(($of:ty))?),*) -> $out:ty;
                $(example { $(#[$example:meta])* })?
            )*
        })?
        $(wire { $(fn $wname:ident($($warg:ident: $wmode:ident $(($wof:ty))?),*) -> $wout:ty;)* })?
    }) => {
        #[allow(unreachable_code, reason = "local handles have no other process")]
        impl blocking::$handle {
            $($(
                $(#[$hdoc])*
                #[must_use]
                pub fn $hname(&self $(, $harg: impl Into<$hof>)*) -> $crate::handles::blocking::$hout {
                    use $crate::handles::{Far as _, Target};
                    $(let $harg: $hof = $harg.into();)*
                    $crate::handles::blocking::$hout(match &self.0 {
                        Target::Here(handle) => Target::Here(handle.$hname($($harg),*)),
                        Target::Far(far) => Target::Far(far.step(stringify!($hname), &($(&$harg,)*))),
                    })
                }
            )*)?
            $($(
                $(#[$pdoc])*
                #[must_use]
                pub fn $pname(&self) -> $pout {
                    match &self.0 {
                        $crate::handles::Target::Here(handle) => handle.$pname(),
                        $crate::handles::Target::Far(never) => match *never {},
                    }
                }
            )*)?
            $($(
                $(#[$odoc])*
                pub fn $oname(
                    &self $(, $oarg: blocking_type!($omode $($oof)?))*
                ) -> Result<$crate::handles::blocking::$oout, $crate::Error> {
                    use $crate::handles::{Far as _, Target};
                    match &self.0 {
                        Target::Here(handle) => {
                            handle.$oname($(blocking_value!($omode $oarg)),*).map($crate::handles::blocking::$oout::from)
                        }
                        Target::Far(far) => Err(far.not_shared(stringify!($oname))),
                    }
                }
            )*)?
            $($(
                $(#[$edoc])*
                $(
                    ///
                    /// # Example
                    $(#[$eexample])*
                )?
                pub fn $ename(&self $(, $earg: blocking_type!($emode $($eof)?))*) -> Result<$eout, $crate::Error> {
                    use $crate::handles::{Far as _, Target};
                    match &self.0 {
                        Target::Here(handle) => handle.$ename($(blocking_value!($emode $earg)),*),
                        Target::Far(far) => Err(far.not_shared(stringify!($ename))),
                    }
                }
            )*)?
            $($(
                $(#[$bdoc])*
                pub fn $bname(&self $(, $barg: blocking_type!($bmode $($bof)?))*) -> Result<$bout, $crate::Error> {
                    run_call!(self $bname($($barg: $bmode $(($bof))?),*))
                }
            )*)?
            $($(
                $(#[$doc])*
                $(
                    ///
                    /// # Example
                    $(#[$example])*
                )?
                pub fn $name(&self $(, $arg: blocking_type!($mode $($of)?))*) -> Result<$out, $crate::Error> {
                    run_call!(self $name($($arg: $mode $(($of))?),*))
                }
            )*)?
        }

        impl asynchronous::$handle {
            $($(
                $(#[$hdoc])*
                #[must_use]
                pub fn $hname(&self $(, $harg: impl Into<$hof>)*) -> $crate::handles::asynchronous::$hout {
                    $crate::handles::asynchronous::$hout(self.0.$hname($($harg),*))
                }
            )*)?
            $($(
                $(#[$pdoc])*
                #[must_use]
                pub fn $pname(&self) -> $pout {
                    self.0.$pname()
                }
            )*)?
            $($(
                $(#[$odoc])*
                pub async fn $oname(
                    &self $(, $oarg: asynchronous_type!($omode $($oof)?))*
                ) -> Result<$crate::handles::asynchronous::$oout, $crate::Error> {
                    let handle = self.0.clone();
                    $(let $oarg = owned_value!($omode $(($oof))? $oarg);)*
                    ::blocking::unblock(move || handle.$oname($(lent_value!($omode $oarg)),*).map($crate::handles::asynchronous::$oout)).await
                }
            )*)?
            $($(
                $(#[$edoc])*
                pub async fn $ename(
                    &self $(, $earg: asynchronous_type!($emode $($eof)?))*
                ) -> Result<$eout, $crate::Error> {
                    let handle = self.0.clone();
                    $(let $earg = owned_value!($emode $(($eof))? $earg);)*
                    ::blocking::unblock(move || handle.$ename($(lent_value!($emode $earg)),*)).await
                }
            )*)?
            $($(
                $(#[$doc])*
                pub async fn $name(
                    &self $(, $arg: asynchronous_type!($mode $($of)?))*
                ) -> Result<$out, $crate::Error> {
                    let handle = self.0.clone();
                    $(let $arg = owned_value!($mode $(($of))? $arg);)*
                    ::blocking::unblock(move || handle.$name($(lent_value!($mode $arg)),*)).await
                }
            )*)?
        }
    };
    (@serve local $handle:ident $table:tt) => {};
    (@serve $serve:ident $handle:ident {
        $(handles { $($(#[$hdoc:meta])* fn $hname:ident($($harg:ident: $hof:ty),*) -> $hout:ident;)* })?
        $(plain $plain:tt)?
        $(opens $opens:tt)?
        $(here $here:tt)?
        $(blocking {
            $($(#[$bdoc:meta])* fn $bname:ident($($barg:ident: $bmode:ident $(($bof:ty))?),*) -> $bout:ty;)*
        })?
        $(calls {
            $(
                $(#[$doc:meta])*
                fn $name:ident($($arg:ident: $mode:ident $(($of:ty))?),*) -> $out:ty;
                $(example { $(#[$example:meta])* })?
            )*
        })?
        $(wire { $(fn $wname:ident($($warg:ident: $wmode:ident $(($wof:ty))?),*) -> $wout:ty;)* })?
    }) => {
        impl $handle {
            /// Runs a call of another process; none when this table has no such call.
            #[allow(unused_variables, reason = "not every handle leads on, and not every call lends")]
            pub(crate) fn $serve(
                &self,
                way: &[annals_share::Step],
                call: &annals_share::Call,
                caller: &dyn annals_share::Caller,
            ) -> Option<Result<Vec<u8>, $crate::Error>> {
                let Some((step, rest)) = way.split_first() else {
                    return match call.name.as_str() {
                        $($(stringify!($bname) => Some(serve_call!(self call caller $bname($($barg: $bmode $(($bof))?),*))),)*)?
                        $($(stringify!($name) => Some(serve_call!(self call caller $name($($arg: $mode $(($of))?),*))),)*)?
                        $($(stringify!($wname) => Some(serve_call!(self call caller $wname($($warg: $wmode $(($wof))?),*))),)*)?
                        _ => None,
                    };
                };
                match step.name.as_str() {
                    $($(stringify!($hname) => Some(
                        $crate::handles::wire::decode(&step.args).and_then(|($($harg,)*): ($($hof,)*)| {
                            $crate::handles::wire::Dispatch::dispatch(&self.$hname($($harg),*), rest, call, caller)
                        })
                    ),)*)?
                    _ => None,
                }
            }
        }
    };
    (@each $($handle:ident $(($serve:ident))?),+; $table:tt) => {
        $(
            calls! { @table $handle $table }
            calls! { @named $handle $(($serve))? $table }
        )+
    };
    (@named $handle:ident ($serve:ident) $table:tt) => {
        calls! { @serve $serve $handle $table }
    };
    (@named $handle:ident $table:tt) => {
        calls! { @serve serve_calls $handle $table }
    };
    (for $($handle:ident $(($serve:ident))?),+; $($table:tt)*) => {
        calls! { @each $($handle $(($serve))?),+; { $($table)* } }
    };
}

/// The body of a public blocking call: here, or by the owner of the file.
macro_rules! run_call {
    ($self:ident $name:ident($($arg:ident: $mode:ident $(($of:ty))?),*)) => {{
        use $crate::handles::{Far as _, Target};
        match &$self.0 {
            Target::Here(handle) => handle.$name($(blocking_value!($mode $arg)),*),
            Target::Far(far) => {
                #[allow(unused_mut, reason = "most calls lend nothing")]
                let mut lent = annals_share::Lent::default();
                $(let $arg = sent_value!($mode $(($of))? $arg);)*
                $(lend_value!(lent $mode $arg);)*
                far.call(stringify!($name), &($(sent_form!($mode $arg),)*), lent)
            }
        }
    }};
}

/// The body of a call of another process.
macro_rules! serve_call {
    ($self:ident $call:ident $caller:ident $name:ident($($arg:ident: $mode:ident $(($of:ty))?),*)) => {
        $crate::handles::wire::decode(&$call.args).and_then(|($($arg,)*): ($(wire_type!($mode $($of)?),)*)| {
            let (answer, masked) =
                annals_engine::privacy::masked_during(|| $self.$name($(served_value!($caller $mode $arg)),*));
            $crate::handles::wire::encode(&(answer?, masked))
        })
    };
}

/// The type of an argument on the wire.
macro_rules! wire_type {
    (own $of:ty) => { $of };
    (into $of:ty) => { $of };
    (lend $of:ty) => { $of };
    (slice $of:ty) => { Vec<$of> };
    (text) => { String };
    (texts) => { Vec<String> };
    (path) => { std::path::PathBuf };
    (memory) => { annals_types::NewMemory };
    ($lent:ident $($of:ty)?) => { () };
}

/// The argument as the body takes it from the wire.
macro_rules! served_value {
    ($caller:ident lend $arg:ident) => {
        &$arg
    };
    ($caller:ident slice $arg:ident) => {
        &$arg
    };
    ($caller:ident text $arg:ident) => {
        &$arg
    };
    ($caller:ident texts $arg:ident) => {
        &$arg.iter().map(String::as_str).collect::<Vec<&str>>()
    };
    ($caller:ident path $arg:ident) => {
        &$arg
    };
    ($caller:ident progress $arg:ident) => {
        &mut |value| $crate::handles::wire::tell($caller, &value)
    };
    ($caller:ident report $arg:ident) => {
        &mut {
            let mut told = 0;
            move |report| {
                $crate::handles::wire::tell(
                    $caller,
                    &$crate::handles::wire::Growing::since(report, &mut told),
                )
            }
        }
    };
    ($caller:ident reader $arg:ident) => {
        &mut annals_share::CallerInput::new($caller)
    };
    ($caller:ident writer $arg:ident) => {
        &mut annals_share::CallerOutput($caller)
    };
    ($caller:ident $mode:ident $arg:ident) => {
        $arg
    };
}

/// The argument before it is sent.
macro_rules! sent_value {
    (into ($of:ty) $arg:ident) => {
        Into::<$of>::into($arg)
    };
    (path $arg:ident) => {
        $crate::handles::wire::absolute($arg.as_ref())?
    };
    (memory $arg:ident) => {
        $arg.try_into().map_err(Into::into)?
    };
    (progress ($of:ty) $arg:ident) => {
        |text: &serde_json::value::RawValue| -> std::io::Result<()> {
            $arg(serde_json::from_str::<$of>(text.get())?);
            Ok(())
        }
    };
    (report ($of:ty) $arg:ident) => {
        $crate::handles::wire::joining_what_is_new::<$of>($arg)
    };
    ($mode:ident $(($of:ty))? $arg:ident) => {
        $arg
    };
}

/// Lends an argument to a call that is sent.
macro_rules! lend_value {
    ($lent:ident progress $arg:ident) => {
        let mut $arg = $arg;
        $lent.progress = Some(&mut $arg);
    };
    ($lent:ident report $arg:ident) => {
        let mut $arg = $arg;
        $lent.progress = Some(&mut $arg);
    };
    ($lent:ident reader $arg:ident) => {
        $lent.input = Some($arg);
    };
    ($lent:ident writer $arg:ident) => {
        $lent.output = Some($arg);
    };
    ($lent:ident $mode:ident $arg:ident) => {};
}

/// The argument as it is sent.
macro_rules! sent_form {
    (progress $arg:ident) => {
        ()
    };
    (report $arg:ident) => {
        ()
    };
    (reader $arg:ident) => {
        ()
    };
    (writer $arg:ident) => {
        ()
    };
    ($mode:ident $arg:ident) => {
        &$arg
    };
}

/// The type of an argument of a blocking call.
macro_rules! blocking_type {
    (own $of:ty) => { $of };
    (into $of:ty) => { impl Into<$of> };
    (lend $of:ty) => { &$of };
    (slice $of:ty) => { &[$of] };
    (text) => { &str };
    (texts) => { &[&str] };
    (path) => { impl AsRef<std::path::Path> };
    (memory) => { impl TryInto<annals_types::NewMemory, Error: Into<$crate::Error>> };
    (progress $of:ty) => { &mut dyn FnMut($of) };
    (report $of:ty) => { &mut dyn FnMut(&$of) };
    (reader) => { &mut dyn std::io::BufRead };
    (writer) => { &mut dyn std::io::Write };
}

/// The argument as the body takes it.
macro_rules! blocking_value {
    (memory $arg:ident) => {
        $arg.try_into().map_err(Into::into)?
    };
    ($mode:ident $arg:ident) => {
        $arg
    };
}

/// The type of an argument of an asynchronous call.
macro_rules! asynchronous_type {
    (own $of:ty) => { $of };
    (into $of:ty) => { impl Into<$of> };
    (lend $of:ty) => { $of };
    (slice $of:ty) => { impl Into<Vec<$of>> };
    (text) => { impl Into<String> };
    (texts) => { impl IntoIterator<Item: Into<String>> };
    (path) => { impl Into<std::path::PathBuf> };
    (memory) => { impl TryInto<annals_types::NewMemory, Error: Into<$crate::Error>> };
    (progress $of:ty) => { impl FnMut($of) + Send + 'static };
}

/// The argument as it goes to the pool of threads.
macro_rules! owned_value {
    (into ($of:ty) $arg:ident) => {
        Into::<$of>::into($arg)
    };
    (slice ($of:ty) $arg:ident) => {
        Into::<Vec<$of>>::into($arg)
    };
    (text $arg:ident) => {
        Into::<String>::into($arg)
    };
    (texts $arg:ident) => {
        $arg.into_iter().map(Into::into).collect::<Vec<String>>()
    };
    (path $arg:ident) => {
        Into::<std::path::PathBuf>::into($arg)
    };
    (memory $arg:ident) => {
        $arg.try_into().map_err(Into::into)?
    };
    ($mode:ident $(($of:ty))? $arg:ident) => {
        $arg
    };
}

/// The same as the body takes it there.
macro_rules! lent_value {
    (lend $arg:ident) => {
        &$arg
    };
    (slice $arg:ident) => {
        &$arg
    };
    (text $arg:ident) => {
        &$arg
    };
    (texts $arg:ident) => {
        &$arg.iter().map(String::as_str).collect::<Vec<&str>>()
    };
    (path $arg:ident) => {
        &$arg
    };
    (progress $arg:ident) => {
        &mut { $arg }
    };
    ($mode:ident $arg:ident) => {
        $arg
    };
}
