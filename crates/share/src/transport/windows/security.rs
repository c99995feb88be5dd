//! The users of pipes: calls of Windows for which no library has a safe function.
#![expect(unsafe_code, reason = "calls of Windows, each with its reason")]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle as _, OwnedHandle, RawHandle};
use std::ptr::null_mut;

use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};
use windows_sys::Win32::Foundation::{ERROR_SUCCESS, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo,
    SDDL_REVISION_1, SE_KERNEL_OBJECT,
};
use windows_sys::Win32::Security::{
    GetTokenInformation, OWNER_SECURITY_INFORMATION, PSID, SECURITY_ATTRIBUTES, SID_AND_ATTRIBUTES,
    TOKEN_INFORMATION_CLASS, TOKEN_QUERY, TokenIntegrityLevel, TokenUser,
};
use windows_sys::Win32::System::Pipes::GetNamedPipeServerProcessId;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Makes an instance of a pipe of this user, which only processes of this user can open, and none
/// with fewer rights than this one: a process of an administrator serves no restricted one.
pub(super) fn create(options: &ServerOptions, name: &str) -> io::Result<NamedPipeServer> {
    let (user, level) = (token_sid(TokenUser)?, token_sid(TokenIntegrityLevel)?);
    let rights = format!("O:{user}D:P(A;;GA;;;{user})S:(ML;;NRNW;;;{level})\0");
    let rights: Vec<u16> = rights.encode_utf16().collect();
    let mut descriptor = null_mut();
    // SAFETY: the text ends with a zero, and the descriptor is freed with its owner.
    let parsed = unsafe {
        let (text, size) = (rights.as_ptr(), null_mut());
        ConvertStringSecurityDescriptorToSecurityDescriptorW(
            text,
            SDDL_REVISION_1,
            &raw mut descriptor,
            size,
        )
    };
    done(parsed)?;
    let descriptor = Local(descriptor);
    let mut attributes = SECURITY_ATTRIBUTES {
        nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or_default(),
        lpSecurityDescriptor: descriptor.0,
        bInheritHandle: 0,
    };
    // SAFETY: the attributes and their descriptor live until the call ends.
    unsafe { options.create_with_security_attributes_raw(name, (&raw mut attributes).cast()) }
}

/// Whether a pipe was made by a process of this user. Nobody can make one in the name of another.
pub(super) fn is_own(pipe: &impl AsRawHandle) -> io::Result<bool> {
    let (mut owner, mut descriptor, none) = (null_mut(), null_mut(), null_mut());
    // SAFETY: the handle is open, and the owner lives as long as its descriptor, which is freed.
    let failure = unsafe {
        let (handle, groups, lists) = (pipe.as_raw_handle(), none, null_mut());
        let (what, owner, all) = (
            OWNER_SECURITY_INFORMATION,
            &raw mut owner,
            &raw mut descriptor,
        );
        GetSecurityInfo(
            handle,
            SE_KERNEL_OBJECT,
            what,
            owner,
            groups,
            lists,
            null_mut(),
            all,
        )
    };
    let _descriptor = Local(descriptor);
    if failure != ERROR_SUCCESS {
        return Err(io::Error::from_raw_os_error(failure.cast_signed()));
    }
    Ok(text(owner)? == token_sid(TokenUser)?)
}

/// The process that made the pipe at the other end of a client.
pub(super) fn server_process(pipe: RawHandle) -> Option<u32> {
    let mut process = 0;
    // SAFETY: the handle is open.
    let found = unsafe { GetNamedPipeServerProcessId(pipe, &raw mut process) };
    done(found).is_ok().then_some(process)
}

/// A SID of the token of this process, as text: `TokenUser` or `TokenIntegrityLevel`.
fn token_sid(class: TOKEN_INFORMATION_CLASS) -> io::Result<String> {
    let mut token = null_mut();
    // SAFETY: the token is closed with its owner.
    let token = unsafe {
        done(OpenProcessToken(
            GetCurrentProcess(),
            TOKEN_QUERY,
            &raw mut token,
        ))?;
        OwnedHandle::from_raw_handle(token)
    };
    // The longest SID has 68 bytes, and the structure before it 16.
    let (mut found, mut size) = ([0_u64; 16], 0);
    let most = u32::try_from(size_of_val(&found)).unwrap_or_default();
    // SAFETY: the buffer is as long as it is said to be.
    let read = unsafe {
        let (token, found) = (token.as_raw_handle(), found.as_mut_ptr().cast());
        GetTokenInformation(token, class, found, most, &raw mut size)
    };
    done(read)?;
    // SAFETY: both classes are a `SID_AND_ATTRIBUTES`, whose SID is in the same buffer.
    let sid = unsafe { (*found.as_ptr().cast::<SID_AND_ATTRIBUTES>()).Sid };
    text(sid)
}

/// A SID as text, such as `S-1-5-18`.
fn text(sid: PSID) -> io::Result<String> {
    let mut text = null_mut();
    // SAFETY: callers have a valid SID; the text is freed with its owner.
    done(unsafe { ConvertSidToStringSidW(sid, &raw mut text) })?;
    let text = Local(text.cast());
    let start: *const u16 = text.0.cast_const().cast();
    // SAFETY: the text ends with a zero, and nothing behind it is read.
    let units = (0..)
        .map(|at| unsafe { *start.add(at) })
        .take_while(|unit| *unit != 0);
    Ok(char::decode_utf16(units)
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect())
}

/// The error of a call that tells by 0 that it failed.
fn done(result: i32) -> io::Result<()> {
    if result == 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Memory that Windows has allocated for this process.
struct Local(*mut std::ffi::c_void);

impl Drop for Local {
    fn drop(&mut self) {
        // SAFETY: it was allocated for its owner, who is gone; null is let through.
        unsafe { LocalFree(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::{TokenIntegrityLevel, TokenUser, token_sid};

    #[test]
    fn this_process_has_a_user_and_a_level() {
        assert!(token_sid(TokenUser).unwrap().starts_with("S-1-5-"));
        assert!(
            token_sid(TokenIntegrityLevel)
                .unwrap()
                .starts_with("S-1-16-")
        );
    }
}
