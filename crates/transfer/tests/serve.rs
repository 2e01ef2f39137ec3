//! The server's answers on the wire, byte by byte, and uploads to it.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_types, reason = "sockets and files have clocks")]

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use tempfile::TempDir;
use windward_transfer::send::{self, send};
use windward_transfer::serve::{Options, Server};
use windward_transfer::tree::{PIECE, Tree};

/// A server with a temporary folder, which is removed with it.
struct Site {
    folder: Option<TempDir>,
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    fn new() -> Self {
        Self::of(TempDir::new().unwrap(), |_| {})
    }

    fn of(folder: TempDir, change: impl FnOnce(&mut Options)) -> Self {
        let mut options = options(folder.path());
        change(&mut options);
        let server = Server::bind(&options).unwrap();
        let address = server.address().unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_over);
        let mut observe = move |_: Option<&_>| match flag.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let thread = std::thread::spawn(move || server.run(&mut observe).unwrap());
        Self { folder: Some(folder), address, is_over, thread: Some(thread) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    fn folder(&self) -> &Path {
        self.folder.as_ref().unwrap().path()
    }

    /// Ends the server; returns its folder.
    fn end(mut self) -> TempDir {
        self.folder.take().unwrap()
    }

    /// Everything received in answer to these bytes until the server closes, on request or after an error.
    fn ask(&self, request: &[u8]) -> String {
        String::from_utf8_lossy(&self.ask_bytes(request)).into_owned()
    }

    fn ask_bytes(&self, request: &[u8]) -> Vec<u8> {
        let mut socket = TcpStream::connect(self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        socket.write_all(request).unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        answer
    }

    fn get(&self, target: &str, fields: &str) -> String {
        self.ask(format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n{fields}Connection: close\r\n\r\n").as_bytes())
    }

    fn status(&self, target: &str, fields: &str) -> u16 {
        status(&self.get(target, fields))
    }

    /// Names of the files in the folder, including hidden ones.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Sends `content` as `name`.
    fn upload(
        &self,
        name: &str,
        content: &[u8],
        options: &send::Options,
    ) -> Result<send::Report, windward_transfer::Error> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), content).unwrap();
        let options = send::Options { name: Some(name.to_owned()), ..options.clone() };
        send(file.path(), &self.address.to_string(), &options, &mut |_| ControlFlow::Continue(()))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn options(root: &Path) -> Options {
    Options {
        root: root.to_owned(),
        address: "127.0.0.1:0".parse().unwrap(),
        certificate: None,
        key: None,
        token: None,
        is_writable: true,
        returns_probes: false,
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {answer:?}")).parse().unwrap()
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap().1
}

fn field<'a>(answer: &'a str, name: &str) -> &'a str {
    let line = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no {name} in {answer}"))
}

/// Bytes without a pattern.
fn bytes(length: u64) -> Vec<u8> {
    let mut out = vec![0; length as usize];
    blake3::Hasher::new().update(&length.to_le_bytes()).finalize_xof().fill(&mut out);
    out
}

#[test]
fn parts_and_conditions() {
    let site = Site::new();
    fs::write(site.path("digits"), "0123456789").unwrap();
    let whole = site.get("/digits", "");
    assert_eq!((status(&whole), body(&whole), field(&whole, "Accept-Ranges")), (200, "0123456789", "bytes"));
    let tag = field(&whole, "ETag").to_owned();
    let part = site.get("/digits", &format!("Range: bytes=2-4\r\nIf-Range: {tag}\r\n"));
    assert_eq!((status(&part), body(&part), field(&part, "Content-Range")), (206, "234", "bytes 2-4/10"));
    let dated = format!("Range: bytes=2-4\r\nIf-Range: {}\r\n", field(&whole, "Last-Modified"));
    assert_eq!(site.status("/digits", &dated), 200);
    let beyond = site.get("/digits", "Range: bytes=10-\r\n");
    assert_eq!((status(&beyond), body(&beyond), field(&beyond, "Content-Range")), (416, "", "bytes */10"));
    assert_eq!(site.status("/digits", &format!("If-None-Match: \"x\", {tag}\r\n")), 304);
    assert_eq!(site.status("/digits", &format!("If-Match: {tag}\r\n")), 200);
    assert_eq!(site.status("/digits", "If-Match: \"x\"\r\n"), 412);
    // The clock of the file system may not advance between two writes, but a different length is another version too.
    fs::write(site.path("digits"), "abcdefghijk").unwrap();
    let other = site.get("/digits", &format!("Range: bytes=2-4\r\nIf-Range: {tag}\r\n"));
    assert_eq!((status(&other), body(&other)), (200, "abcdefghijk"));
}

#[test]
fn requests_one_after_the_other_and_at_once() {
    let site = Site::new();
    fs::write(site.path("a"), "first").unwrap();
    fs::write(site.path("b"), "second").unwrap();
    let ask = |method, target, end| format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n{end}\r\n");
    let pipeline = ask("HEAD", "/a", "") + &ask("GET", "/a", "") + &ask("GET", "/b", "Connection: close\r\n");
    let answers = site.ask(pipeline.as_bytes());
    let heads: Vec<&str> = answers.split("HTTP/1.1 ").skip(1).collect();
    assert_eq!(heads.len(), 3);
    assert_eq!(heads.iter().map(|answer| body(answer)).collect::<Vec<_>>(), ["", "first", "second"]);
    assert!(heads.iter().all(|answer| answer.starts_with("200 ")));
    assert_eq!(field(heads[0], "Content-Length"), "5");
}

#[test]
fn nothing_outside_the_folder() {
    let site = Site::new();
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    fs::write(site.path("inside"), "inside").unwrap();
    fs::write(site.path(".hidden"), "hidden").unwrap();
    symlink(outside.path().join("secret"), site.path("leads-out")).unwrap();
    symlink(outside.path(), site.path("folder-out")).unwrap();
    symlink("inside", site.path("stays")).unwrap();
    assert_eq!(body(&site.get("/stays", "")), "inside");
    for target in ["/leads-out", "/folder-out/", "/folder-out/secret", "/leads-out.b3"] {
        assert!(matches!(site.status(target, ""), 403 | 404), "{target}");
    }
    let name = outside.path().file_name().unwrap().to_str().unwrap();
    assert_eq!(site.status(&format!("/../{name}/secret"), ""), 404);
    for target in ["/.hidden", "/../inside", "/%2e%2e/inside", "/x/..%2finside", "/%00", "//..", "/.."] {
        assert_eq!(site.status(target, ""), 404, "{target}");
    }
    let listing = site.get("/", "");
    assert!(body(&listing).contains("\"./inside\"") && !listing.contains("hidden"), "{listing}");
    // Nothing is written there either.
    let refused = site.upload("leads-out", b"x", &send::Options { replace: true, ..send::Options::default() });
    assert_eq!(refused.unwrap_err().code(), 4);
    assert_eq!(fs::read_to_string(outside.path().join("secret")).unwrap(), "secret");
}

#[test]
fn names_cannot_break_a_listing() {
    let site = Site::new();
    fs::write(site.path("<b>&\"'#?%.txt"), "x").unwrap();
    fs::create_dir(site.path("folder")).unwrap();
    let listing = site.get("/", "");
    assert!(body(&listing).contains("\"./%3Cb%3E%26%22%27%23%3F%25.txt\">&lt;b&gt;&amp;&quot;"), "{listing}");
    assert_eq!(body(&site.get("/%3Cb%3E%26%22%27%23%3F%25.txt", "")), "x");
    let moved = site.get("//folder", "");
    assert_eq!((status(&moved), field(&moved, "Location")), (301, "/folder/"));
}

#[test]
fn sums_are_those_of_the_tools() {
    let site = Site::new();
    fs::write(site.path("abc"), "abc").unwrap();
    // The example of FIPS 180-2, and `printf abc | b3sum`.
    let sha = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc\n";
    let b3 = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85  abc\n";
    assert_eq!(body(&site.get("/abc.sha256", "")), sha);
    assert_eq!(body(&site.get("/abc.b3", "")), b3);
    assert_eq!(site.status("/other.b3", ""), 404);
    // Also for a name that is not UTF-8.
    fs::write(site.folder().join(OsStr::from_bytes(b"lat\xe8")), "abc").unwrap();
    let sum = site.ask_bytes(b"GET /lat%e8.b3 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert!(sum.ends_with(b"85  lat\xe8\n"));
}

#[test]
fn hostile_requests_are_refused() {
    let site = Site::new();
    let ask = |request: &str| status(&site.ask(request.as_bytes()));
    let local = "HTTP/1.1\r\nHost: localhost\r\n";
    assert_eq!(ask("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"), 400);
    assert_eq!(ask(&format!("GET / {local}Host: localhost\r\nConnection: close\r\n\r\n")), 400);
    assert_eq!(ask("nonsense\r\n\r\n"), 400);
    assert_eq!(ask(&format!("GET / {local}A: {}\r\n\r\n", "b".repeat(40_000))), 431);
    assert_eq!(ask(&format!("GET / {local}{}\r\n", "A: b\r\n".repeat(100))), 431);
    assert_eq!(ask(&format!("DELETE /x {local}Connection: close\r\n\r\n")), 501);
    assert_eq!(ask(&format!("POST /x?upload {local}Transfer-Encoding: chunked\r\n\r\n")), 411);
    assert_eq!(ask(&format!("GET /x {local}Content-Length: 5\r\n\r\nGET /")), 400);
    // A web page under another name that resolves to this machine (DNS rebinding).
    let evil = site.ask(b"GET / HTTP/1.1\r\nHost: evil.example:80\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&evil), 421);
    assert!(body(&evil).contains("\"evil.example\"") && body(&evil).contains("hint: "), "{evil}");
    // An address in numbers is none: no resolver has a say in it. Behind an emulated link the server has one.
    for host in ["100.64.0.1:80", "127.0.0.1", "[2001:db8::1]:80"] {
        assert_eq!(
            status(&site.ask(format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes())),
            200
        );
    }
}

#[test]
fn a_token_is_asked_for() {
    let site = Site::of(TempDir::new().unwrap(), |options| options.token = Some("correct horse".to_owned()));
    fs::write(site.path("x"), "x").unwrap();
    assert_eq!(site.status("/x", ""), 401);
    assert_eq!(site.status("/x", "Authorization: Bearer wrong\r\n"), 401);
    assert_eq!(site.status("/x", "Authorization: Bearer correct horse\r\n"), 200);
    // `printf ':correct horse' | base64`
    assert_eq!(site.status("/x", "Authorization: Basic OmNvcnJlY3QgaG9yc2U=\r\n"), 200);
    // With a token any host name is valid.
    let token = "Authorization: Bearer correct horse\r\nConnection: close";
    let named = site.ask(format!("GET /x HTTP/1.1\r\nHost: a.example\r\n{token}\r\n\r\n").as_bytes());
    assert_eq!(status(&named), 200);
    assert_eq!(site.upload("y", b"y", &send::Options::default()).unwrap_err().code(), 4);
    let options = send::Options { token: Some("correct horse".to_owned()), ..send::Options::default() };
    site.upload("y", b"y", &options).unwrap();
}

/// The fifth wrong token waits for 0.25 s, the sixth for 0.5 s.
#[test]
fn guesses_wait_longer_and_longer() {
    let site = Site::of(TempDir::new().unwrap(), |options| options.token = Some("correct horse".to_owned()));
    let guess = |token: &str| site.status("/", &format!("Authorization: Bearer {token}\r\n"));
    let begun = Instant::now();
    for number in 0..6 {
        assert_eq!(guess(&format!("wrong {number}")), 401);
    }
    // A request without a token does not wait.
    assert_eq!(site.status("/", ""), 401);
    assert!(begun.elapsed() > Duration::from_millis(700), "{:?}", begun.elapsed());
    // Connections wait one after the other; a wait that would be too long is refused at once.
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..10).map(|_| scope.spawn(|| guess("wrong"))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(statuses.contains(&429) && statuses.iter().all(|status| matches!(status, 401 | 429)), "{statuses:?}");
}

/// A connection that has shown the token does not wait for others from its address, and waiting ones do not delay the
/// server's end.
#[test]
fn who_is_known_does_not_wait() {
    let site = Site::of(TempDir::new().unwrap(), |options| options.token = Some("correct horse".to_owned()));
    let mut known = TcpStream::connect(site.address).unwrap();
    known.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut ask = || {
        known.write_all(b"HEAD / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer correct horse\r\n\r\n").unwrap();
        let mut answer = [0; 1024];
        let count = known.read(&mut answer).unwrap();
        status(&String::from_utf8_lossy(&answer[..count]))
    };
    assert_eq!(ask(), 200);
    for _ in 0..6 {
        site.status("/", "Authorization: Bearer wrong\r\n");
    }
    let begun = Instant::now();
    let mut waiting = TcpStream::connect(site.address).unwrap();
    waiting.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer wrong\r\n\r\n").unwrap();
    assert_eq!(ask(), 200);
    drop(site);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

/// A thousand abandoned uploads do not block others, and leave nothing behind.
#[test]
fn unfinished_uploads_keep_nobody_out() {
    let folder = TempDir::new().unwrap();
    let old = folder.path().join(".old.0123456789abcdef.part");
    let young = folder.path().join(".young.0123456789abcdef.part");
    let own = folder.path().join(".own.part");
    for path in [&old, &young, &own] {
        fs::write(path, "x").unwrap();
    }
    let days = SystemTime::now() - Duration::from_secs(2 * 24 * 3600);
    for path in [&old, &own] {
        fs::File::options().write(true).open(path).unwrap().set_modified(days).unwrap();
    }
    let site = Site::of(folder, |_| {});
    let content = b"abc";
    for number in 0..70 {
        let begun = begin(&site, &format!("/m{number}?upload"), content);
        assert_eq!(status(&begun), 200, "{begun}");
    }
    assert_eq!(site.names().iter().filter(|name| name.starts_with(".m")).count(), 16);
    site.upload("x", content, &send::Options::default()).unwrap();
    let folder = site.end();
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".own.part", ".young.0123456789abcdef.part", "x"]);
}

/// Uploads with pieces are not displaced by uploads without pieces.
#[test]
fn an_upload_with_pieces_is_not_displaced() {
    let site = Site::new();
    let content = bytes(2 * PIECE);
    let file = tempfile::tempfile().unwrap();
    (&file).write_all(&content).unwrap();
    let tree = Tree::of(&file, 2 * PIECE, |_| Ok(())).unwrap();
    let hash = tree.hash();
    let fields = format!("Windward-Length: {}\r\nWindward-Blake3: {hash}\r\n", 2 * PIECE);
    assert_eq!(status(&post(&site, "/big?upload", &fields, &tree.to_bytes())), 200);
    let put = |piece: usize| {
        let bytes = &content[piece * PIECE as usize..][..PIECE as usize];
        let head = format!("PUT /big?upload={hash}&piece={piece} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        status(&site.ask(&[format!("{head}Content-Length: {PIECE}\r\n\r\n").as_bytes(), bytes].concat()))
    };
    assert_eq!(put(0), 204);
    for number in 0..40 {
        assert_eq!(status(&begin(&site, &format!("/m{number}?upload"), b"abc")), 200);
    }
    assert_eq!(put(1), 201);
    assert!(fs::read(site.path("big")).unwrap() == content);
}

/// Begins an upload of a single piece.
fn begin(site: &Site, target: &str, content: &[u8]) -> String {
    let hash = blake3::hash(content);
    let fields = format!("Windward-Length: {}\r\nWindward-Blake3: {hash}\r\n", content.len());
    post(site, target, &fields, hash.as_bytes())
}

fn post(site: &Site, target: &str, fields: &str, tree: &[u8]) -> String {
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\
         Content-Type: application/vnd.windward.tree\r\n{fields}\r\n",
        tree.len()
    );
    site.ask(&[head.as_bytes(), tree].concat())
}

#[test]
fn names_that_would_harm_are_not_taken() {
    let site = Site::new();
    for target in ["/-rf?upload", "/a%0ab?upload", "/%1b%5B2J?upload", "/%7f?upload", "/%c2%9b?upload"] {
        assert_eq!(status(&begin(&site, target, b"abc")), 400, "{target}");
    }
    assert_eq!(site.names(), Vec::<String>::new());
    // Any other name is valid: one too long for a part's name, and one that is not UTF-8.
    let long = "n".repeat(255);
    site.upload(&long, b"abc", &send::Options::default()).unwrap();
    assert_eq!(site.names(), [long]);
    for (name, content) in [(&b"lat\xe8"[..], "one"), (b"lat\xe9", "two")] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(OsStr::from_bytes(name));
        fs::write(&path, content).unwrap();
        send(&path, &site.address.to_string(), &send::Options::default(), &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(fs::read_to_string(site.folder().join(OsStr::from_bytes(name))).unwrap(), content);
    }
}

/// The address does not answer a SYN. The sender stops all the same, and ends its threads.
#[test]
fn a_sender_stops_while_it_cannot_reach_the_server() {
    let listener = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    listener.bind(&"127.0.0.1:0".parse::<SocketAddr>().unwrap().into()).unwrap();
    listener.listen(0).unwrap();
    let address = listener.local_addr().unwrap().as_socket().unwrap();
    let _full = TcpStream::connect(address).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let options = send::Options { name: Some("x".to_owned()), ..send::Options::default() };
    let begun = Instant::now();
    let mut observer = |_: &send::Event| match begun.elapsed() > Duration::from_millis(300) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let stopped = send(file.path(), &address.to_string(), &options, &mut observer).unwrap_err();
    assert_eq!(stopped.code(), 130, "{stopped}");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
fn a_token_is_not_shown_to_the_network() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let own =
        send::Options { name: Some("x".to_owned()), max_tries: 1, connect_timeout_s: 0.1, ..send::Options::default() };
    let with = send::Options { token: Some("SECRET token".to_owned()), ..own.clone() };
    // RFC 5737: no host has this address.
    for (address, options) in
        [("192.0.2.1", &with), ("http://:SECRET@192.0.2.1/", &own), ("http://:SECRET@192.0.2.1:x", &own)]
    {
        let refused = send(file.path(), address, options, &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert_eq!(refused.code(), 2, "{refused}");
        assert!(!refused.to_string().contains("SECRET"), "{refused}");
    }
    let insecure = send::Options { insecure: true, ..with };
    let lost = send(file.path(), "192.0.2.1", &insecure, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_ne!(lost.code(), 2, "{lost}");
}

#[test]
fn others_are_served_only_with_tls_and_token() {
    let folder = TempDir::new().unwrap();
    let wide = Options { address: "0.0.0.0:0".parse().unwrap(), ..options(folder.path()) };
    let refused = Server::bind(&wide).err().unwrap().to_string();
    // A random token of 128 bits is proposed.
    let proposed = |text: &str| text.rsplit(' ').next().unwrap().to_owned();
    assert!(
        proposed(&refused).len() == 32 && proposed(&refused).bytes().all(|digit| digit.is_ascii_hexdigit()),
        "{refused}"
    );
    assert_ne!(proposed(&refused), proposed(&Server::bind(&wide).err().unwrap().to_string()));
    assert!(Server::bind(&Options { token: Some("long enough".to_owned()), ..wide }).is_err());
    let missing = Options { root: folder.path().join("missing"), ..options(folder.path()) };
    assert!(Server::bind(&missing).is_err());
}

#[test]
fn a_file_arrives_whole_over_any_number_of_connections() {
    let site = Site::new();
    let sizes = [(0, None), (1, None), (PIECE, Some(3)), (40 * PIECE + 7, Some(8)), (9 * PIECE, None)];
    for (length, connections) in sizes {
        let content = bytes(length);
        let options = send::Options { connections, ..send::Options::default() };
        let name = format!("file {length}");
        let report = site.upload(&name, &content, &options).unwrap();
        assert_eq!((report.length_bytes, report.there_bytes), (length, 0));
        assert_eq!(report.blake3, blake3::hash(&content).to_hex().to_string());
        assert!(fs::read(site.path(&name)).unwrap() == content);
    }
    assert!(site.names().iter().all(|name| name.starts_with("file ")), "{:?}", site.names());
}

/// The server is killed during the upload, and one received byte is damaged. The next attempt sends only the missing
/// pieces and the damaged one.
#[test]
fn an_upload_goes_on_with_what_is_right() {
    let content = bytes(12 * PIECE);
    let folder = TempDir::new().unwrap();
    let part = folder.path().join(format!(".x.{}.part", &blake3::hash(&content).to_hex()[..16]));
    let mut left = content.clone();
    left[(5 * PIECE) as usize] ^= 1;
    left[(10 * PIECE) as usize..].fill(0);
    fs::write(&part, &left).unwrap();
    let site = Site::of(folder, |_| {});
    let report = site.upload("x", &content, &send::Options::default()).unwrap();
    assert_eq!(report.there_bytes, 9 * PIECE);
    assert!(fs::read(site.path("x")).unwrap() == content);
    assert_eq!(site.names(), ["x"]);
}

/// A proxy to `site` that breaks each of the first `count` connections after `bytes` bytes. Returns its address.
fn bad_way(site: &Site, count: usize, bytes: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, target) = (listener.local_addr().unwrap(), site.address);
    std::thread::spawn(move || {
        for (number, near) in listener.incoming().enumerate() {
            let (mut near, mut far) = (near.unwrap(), TcpStream::connect(target).unwrap());
            let (mut answers, mut back) = (far.try_clone().unwrap(), near.try_clone().unwrap());
            std::thread::spawn(move || drop(std::io::copy(&mut answers, &mut back)));
            std::thread::spawn(move || {
                let most = if number < count { bytes } else { usize::MAX };
                // After an end there is nothing more to copy.
                let _ = std::io::copy(&mut (&mut near).take(most as u64), &mut far);
                let _ = near.shutdown(Shutdown::Both);
                let _ = far.shutdown(Shutdown::Both);
            });
        }
    });
    address
}

/// The first connection posts the tree; the next three break within their second piece.
#[test]
fn connections_that_break_cost_only_what_was_on_its_way() {
    let site = Site::new();
    let content = bytes(20 * PIECE + 3);
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), &content).unwrap();
    let way = bad_way(&site, 4, PIECE as usize * 3 / 2);
    let named = |connections| send::Options { name: Some("x".to_owned()), connections, ..send::Options::default() };
    let report = send(file.path(), &way.to_string(), &named(Some(3)), &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(report.length_bytes, 20 * PIECE + 3);
    assert!(fs::read(site.path("x")).unwrap() == content);
    // A connection without any answer is closed, and reported.
    let never = bad_way(&site, usize::MAX, 10);
    let options = send::Options { max_tries: 2, ..named(None) };
    let refused = send(file.path(), &never.to_string(), &options, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(refused.code(), 12, "{refused}");
}

#[test]
fn another_file_of_the_name_is_replaced_only_on_demand() {
    let site = Site::new();
    let (old, new) = (bytes(PIECE + 1), bytes(PIECE + 2));
    site.upload("x", &old, &send::Options::default()).unwrap();
    let again = site.upload("x", &old, &send::Options::default()).unwrap();
    assert_eq!(again.there_bytes, PIECE + 1);
    let refused = site.upload("x", &new, &send::Options::default()).unwrap_err();
    assert_eq!(refused.code(), 4, "{refused}");
    assert!(fs::read(site.path("x")).unwrap() == old);
    site.upload("x", &new, &send::Options { replace: true, ..send::Options::default() }).unwrap();
    assert!(fs::read(site.path("x")).unwrap() == new);
}

#[test]
fn what_is_not_of_the_tree_is_not_written() {
    let site = Site::new();
    let content = bytes(100);
    let hash = blake3::hash(&content).to_hex().to_string();
    let post = |length: usize, tree: &[u8]| {
        let head = format!(
            "POST /x?upload HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\
             Content-Type: application/vnd.windward.tree\r\nWindward-Length: {length}\r\nWindward-Blake3: {hash}\r\n\r\n",
            tree.len()
        );
        site.ask(&[head.as_bytes(), tree].concat())
    };
    let value = *blake3::hash(&content).as_bytes();
    assert_eq!(status(&post(100, &[0; 32])), 422);
    assert_eq!(status(&post(100, &[value, value].concat())), 422);
    let begun = post(100, &value);
    assert_eq!(body(&begun), format!("{{\"piece_bytes\":{PIECE},\"is_there\":false,\"missing\":[[0,1]]}}"));
    let put = |piece: &[u8], length: usize| {
        let head = format!("PUT /x?upload={hash}&piece=0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        status(&site.ask(&[format!("{head}Content-Length: {length}\r\n\r\n").as_bytes(), piece].concat()))
    };
    assert_eq!(put(&[b'x'; 100], 100), 422);
    assert_eq!(put(b"short", 5), 422);
    assert_eq!(put(b"", PIECE as usize + 1), 413);
    assert!(!site.path("x").exists());
    let reader = Site::of(TempDir::new().unwrap(), |options| options.is_writable = false);
    assert_eq!(reader.upload("x", &content, &send::Options::default()).unwrap_err().code(), 4);
    for name in [".x", "a/b", ""] {
        assert_eq!(site.upload(name, &content, &send::Options::default()).unwrap_err().code(), 2, "{name:?}");
    }
}
