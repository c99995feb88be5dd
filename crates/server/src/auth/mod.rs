//! Who may do what: tokens of programs, and the session of a browser.

mod caller;
mod grant;
mod guard;
mod secret;
mod sessions;
mod tokens;
mod user;
mod watched;

pub(crate) use self::caller::{
    Admin, Caller, Delete, Holder, Id, Limited, Read, Space, Write, ends_in_star, may_begin,
};
pub use self::grant::{Grant, Right, Scope};
pub(crate) use self::guard::guard;
pub(crate) use self::secret::{Digest, Secret};
pub(crate) use self::sessions::Sessions;
pub use self::tokens::{NewToken, TokenInfo, TokenStore};
pub(crate) use self::user::User;
pub(crate) use self::watched::Watched;
