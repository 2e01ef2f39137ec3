//! System calls and shell commands.

use super::{Player, Stop, time};
use crate::script::Call;

impl Player<'_> {
    /// Commands set what the connection begins with; later they may only clean up.
    pub(super) fn run_commands(&mut self, commands: &[String]) -> Result<(), Stop> {
        if self.socket.is_none() {
            return self.settings.read_on(commands, self.folder).map_err(Stop::Inapplicable);
        }
        match commands.iter().find(|command| !command.contains("sysctl_restore")) {
            None => Ok(()),
            Some(command) => Err(Stop::Inapplicable(format!("the command `{command}`"))),
        }
    }

    pub(super) fn call(&mut self, call: &Call) -> Result<(), Stop> {
        let Call { name, arguments, result } = call;
        match name.as_str() {
            "socket" | "bind" | "listen" | "accept" | "connect" | "fcntl" | "getsockopt" | "read" | "recv" => Ok(()),
            "write" | "send" | "sendto" => {
                let count = result.parse::<u32>().map_err(|_| Stop::Inapplicable(format!("a {name} that fails")))?;
                let is_plain = match arguments.get(3).map(String::as_str) {
                    None | Some("0") => true,
                    Some(_) => name == "write",
                };
                if !is_plain {
                    return Err(Stop::Inapplicable(format!("{name} with flags")));
                }
                self.write(count)
            }
            "setsockopt" => self.set_option(arguments),
            "close" | "shutdown" => Err(Stop::Closes("the connection closes")),
            _ => Err(Stop::Inapplicable(format!("the call {name}"))),
        }
    }

    fn set_option(&mut self, arguments: &[String]) -> Result<(), Stop> {
        let [_, _, option, value, ..] = arguments else {
            return Err(Stop::Inapplicable("an option of sockets".into()));
        };
        match option.as_str() {
            "SO_REUSEADDR" | "SO_SNDBUF" | "SO_RCVBUF" | "IP_MTU_DISCOVER" | "IP_TOS" | "TCP_NODELAY" => Ok(()),
            "TCP_CONGESTION" if self.socket.is_none() => {
                self.settings.law = value.trim_matches(['"', '[', ']']).to_owned();
                Ok(())
            }
            _ => Err(Stop::Inapplicable(format!("the option of sockets {option}"))),
        }
    }

    fn write(&mut self, count: u32) -> Result<(), Stop> {
        self.socket()?;
        let mss = self.opened.as_ref().map_or(1, |opened| opened.mss);
        let segments = self.ours.write(count, mss, self.sent_count);
        let now = time(self.now);
        self.socket()?.write(now, segments);
        self.take_sent();
        Ok(())
    }
}
