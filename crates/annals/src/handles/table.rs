//! How calls become public: one table makes the blocking and the asynchronous handle.
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
//! [`handles!`] makes `blocking::Reviews` and `asynchronous::Reviews` around the private handle;
//! [`calls!`] gives both a method for each row. The asynchronous method runs the body on a pool of
//! threads. The mode of an argument says how it is passed on either side:
//!
//! | mode | blocking | asynchronous |
//! |---|---|---|
//! | `own(T)` | `T` | `T` |
//! | `into(T)` | `impl Into<T>` | `impl Into<T>` |
//! | `lend(T)` | `&T` | `T` |
//! | `slice(T)` | `&[T]` | `impl Into<Vec<T>>` |
//! | `text` | `&str` | `impl Into<String>` |
//! | `texts` | `&[&str]` | `impl IntoIterator<Item: Into<String>>` |
//! | `path` | `impl AsRef<Path>` | `impl Into<PathBuf>` |
//! | `memory` | `impl TryInto<NewMemory, Error: Into<Error>>` | the same |
//! | `progress(T)` | `&mut dyn FnMut(T)` | `impl FnMut(T) + Send + 'static` |

/// Makes the public handles of private ones of the same names.
macro_rules! handles {
    ($(
        $(#[$doc:meta])*
        pub struct $handle:ident;
        $(example { $(#[$example:meta])* })?
        $(asynchronous { $(#[$other:meta])* })?
    )+) => {
        pub(crate) mod blocking {
            $(
                $(#[$doc])*
                $(
                    ///
                    /// # Example
                    $(#[$example])*
                )?
                #[derive(Debug, Clone)]
                pub struct $handle(pub(crate) super::$handle);
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
                pub struct $handle(pub(crate) super::$handle);

                impl $handle {
                    /// Runs a closure on the pool of threads, with the blocking handle: for calls
                    /// that borrow a reader, a writer or a callback, and for several calls in a row.
                    pub async fn run<R: Send + 'static>(
                        &self,
                        work: impl FnOnce(&super::blocking::$handle) -> R + Send + 'static,
                    ) -> R {
                        let handle = super::blocking::$handle(self.0.clone());
                        ::blocking::unblock(move || work(&handle)).await
                    }
                }

                impl From<super::blocking::$handle> for $handle {
                    fn from(handle: super::blocking::$handle) -> Self {
                        Self(handle.0)
                    }
                }
            )+
        }
    };
}

/// Makes the methods of the public handles. Each section of a table may be missing; their order is:
///
/// - `handles`: further handles; the same on both sides, at once and without an error;
/// - `plain`: facts in memory; the same on both sides, at once and without an error;
/// - `opens`: calls whose answer is a handle;
/// - `blocking`: calls that borrow readers, writers or callbacks; asynchronous callers use `run`;
/// - `calls`: all others. `example` after a row documents the blocking call with a test.
macro_rules! calls {
    (@table $handle:ident {
        $(handles { $($(#[$hdoc:meta])* fn $hname:ident($($harg:ident: $hof:ty),*) -> $hout:ident;)* })?
        $(plain { $($(#[$pdoc:meta])* fn $pname:ident() -> $pout:ty;)* })?
        $(opens {
            $($(#[$odoc:meta])* fn $oname:ident($($oarg:ident: $omode:ident $(($oof:ty))?),*) -> $oout:ident;)*
        })?
        $(blocking { $($(#[$bdoc:meta])* fn $bname:ident($($barg:ident: $bof:ty),*) -> $bout:ty;)* })?
        $(calls {
            $(
                $(#[$doc:meta])*
                fn $name:ident($($arg:ident: $mode:ident $(($of:ty))?),*) -> $out:ty;
                $(example { $(#[$example:meta])* })?
            )*
        })?
    }) => {
        impl blocking::$handle {
            $($(
                $(#[$hdoc])*
                #[must_use]
                pub fn $hname(&self $(, $harg: impl Into<$hof>)*) -> $crate::handles::blocking::$hout {
                    $crate::handles::blocking::$hout(self.0.$hname($($harg.into()),*))
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
                pub fn $oname(
                    &self $(, $oarg: blocking_type!($omode $($oof)?))*
                ) -> Result<$crate::handles::blocking::$oout, $crate::Error> {
                    self.0.$oname($(blocking_value!($omode $oarg)),*).map($crate::handles::blocking::$oout)
                }
            )*)?
            $($(
                $(#[$bdoc])*
                pub fn $bname(&self $(, $barg: $bof)*) -> Result<$bout, $crate::Error> {
                    self.0.$bname($($barg),*)
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
                    self.0.$name($(blocking_value!($mode $arg)),*)
                }
            )*)?
        }

        impl asynchronous::$handle {
            $($(
                $(#[$hdoc])*
                #[must_use]
                pub fn $hname(&self $(, $harg: impl Into<$hof>)*) -> $crate::handles::asynchronous::$hout {
                    $crate::handles::asynchronous::$hout(self.0.$hname($($harg.into()),*))
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
    (@each $($handle:ident),+; $table:tt) => {
        $(calls! { @table $handle $table })+
    };
    (for $($handle:ident),+; $($table:tt)*) => {
        calls! { @each $($handle),+; { $($table)* } }
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
