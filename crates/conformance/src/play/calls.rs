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
            "accept" => {
                self.descriptor = Some(result.clone());
                Ok(())
            }
            // The socket that listens.
            "close" if self.descriptor.is_some() && arguments.first() != self.descriptor.as_ref() => Ok(()),
            "socket" | "bind" | "listen" | "connect" | "fcntl" | "getsockopt" | "read" | "recv" => Ok(()),
            "write" | "send" | "sendto" if self.is_closed => Ok(()),
            "write" | "send" | "sendto" => {
                let count = result.parse::<u32>().map_err(|_| Stop::Inapplicable(format!("a {name} that fails")))?;
                let has_more = match arguments.get(3).map(String::as_str).filter(|_| name != "write") {
                    None | Some("0") => false,
                    Some("MSG_MORE") => true,
                    Some(_) => return Err(Stop::Inapplicable(format!("{name} with flags"))),
                };
                self.write(count, has_more)
            }
            "setsockopt" => self.set_option(arguments),
            // A close of what was closed, or of a direction that only the application notices, sends nothing.
            "shutdown" if arguments.get(1).is_some_and(|how| how == "SHUT_RD") => Ok(()),
            "close" | "shutdown" if self.opened.is_none() => Err(Stop::Closes("the connection closes")),
            "close" | "shutdown" => {
                let now = time(self.now);
                self.is_closed = true;
                self.socket()?.close(now);
                self.take_sent();
                Ok(())
            }
            _ => Err(Stop::Inapplicable(format!("the call {name}"))),
        }
    }

    fn set_option(&mut self, arguments: &[String]) -> Result<(), Stop> {
        let [_, _, option, value, ..] = arguments else {
            return Err(Stop::Inapplicable("an option of sockets".into()));
        };
        match option.as_str() {
            "SO_REUSEADDR" | "SO_SNDBUF" | "SO_RCVBUF" | "IP_MTU_DISCOVER" | "IP_TOS" => Ok(()),
            "TCP_NODELAY" | "TCP_CORK" => {
                let is_on = value != "[0]";
                let place = if option == "TCP_CORK" { &mut self.is_corked } else { &mut self.has_no_delay };
                *place = is_on;
                // Linux: `TCP_NODELAY` lets out what a cork holds, once.
                if option == "TCP_NODELAY" {
                    self.set_nagle(false)?;
                }
                self.set_nagle(self.is_corked)
            }
            "TCP_CONGESTION" if self.socket.is_none() => {
                self.settings.law = value.trim_matches(['"', '[', ']']).to_owned();
                Ok(())
            }
            _ => Err(Stop::Inapplicable(format!("the option of sockets {option}"))),
        }
    }

    fn set_nagle(&mut self, is_corked: bool) -> Result<(), Stop> {
        let (now, is_on) = (time(self.now), !self.has_no_delay);
        if self.opened.is_some() {
            self.socket()?.set_nagle(now, is_on, is_corked);
            self.take_sent();
        }
        Ok(())
    }

    fn write(&mut self, count: u32, has_more: bool) -> Result<(), Stop> {
        let now = time(self.now);
        self.socket()?.write(now, count.into(), has_more);
        self.take_sent();
        Ok(())
    }
}
