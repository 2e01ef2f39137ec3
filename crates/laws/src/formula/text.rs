//! Text of a formula: tokens, and the tree that they describe.
//!
//! A formula is an expression, after any number of definitions `name = expression;`. Operators by increasing
//! precedence: comparisons (`<`, `<=`, `>`, `>=`, which give 1 or 0), `+` and `-`, `*` and `/`, the sign, `^` (from
//! right to left). Constant parts are computed here, in the same order as at run time.

use super::quantity::Quantity;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::CharIndices;

/// A formula as a tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    /// Definitions, in order; a later one may use an earlier one.
    pub locals: Vec<Node>,
    /// The value.
    pub value: Node,
}

/// A part of a formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Number(f64),
    Quantity(Quantity),
    /// A definition, by its position.
    Local(usize),
    Unary(Unary, Box<Self>),
    Binary(Binary, Box<[Self; 2]>),
    Ternary(Ternary, Box<[Self; 3]>),
}

impl Tree {
    /// True if the formula reads a quantity for which `asked` holds.
    pub fn reads(&self, asked: fn(Quantity) -> bool) -> bool {
        fn of(node: &Node, asked: fn(Quantity) -> bool) -> bool {
            match node {
                Node::Number(_) | Node::Local(_) => false,
                Node::Quantity(quantity) => asked(*quantity),
                Node::Unary(_, x) => of(x, asked),
                Node::Binary(_, pair) => pair.iter().any(|node| of(node, asked)),
                Node::Ternary(_, three) => three.iter().any(|node| of(node, asked)),
            }
        }
        self.locals.iter().chain([&self.value]).any(|node| of(node, asked))
    }
}

macro_rules! operators {
    ($(#[$meta:meta])* $kind:ident($($argument:ident),*) { $($name:ident => $value:expr,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $kind {
            $($name,)*
        }

        impl $kind {
            /// Returns the value of the operation.
            #[inline]
            pub fn apply(self, $($argument: f64),*) -> f64 {
                match self {
                    $(Self::$name => $value,)*
                }
            }
        }
    };
}

operators! {
    /// Operations on one number.
    Unary(x) {
        Negate => -x,
        Abs => x.abs(),
        Sqrt => x.sqrt(),
        Cbrt => libm::cbrt(x),
        Exp => libm::exp(x),
        Log => libm::log(x),
        Log2 => libm::log2(x),
        // Powers by 2 and 3 are products.
        Square => x * x,
        Cube => x * x * x,
    }
}

operators! {
    /// Operations on two numbers.
    Binary(x, y) {
        Add => x + y,
        Subtract => x - y,
        Multiply => x * y,
        Divide => x / y,
        Power => libm::pow(x, y),
        // What is no number stays none.
        Min => if x < y || x.is_nan() { x } else { y },
        Max => if x > y || x.is_nan() { x } else { y },
        Less => f64::from(u8::from(x < y)),
        LessOrEqual => f64::from(u8::from(x <= y)),
    }
}

operators! {
    /// Operations on three numbers.
    Ternary(x, y, z) {
        Clamp => if x < y { y } else if x > z { z } else { x },
        If => if x != 0.0 { y } else { z },
    }
}

/// Functions by name.
#[derive(Clone, Copy)]
enum Function {
    One(Unary),
    /// At least two arguments, combined from left to right.
    Many(Binary),
    Three(Ternary),
}

const FUNCTIONS: &[(&str, Function)] = &[
    ("min", Function::Many(Binary::Min)),
    ("max", Function::Many(Binary::Max)),
    ("clamp", Function::Three(Ternary::Clamp)),
    ("if", Function::Three(Ternary::If)),
    ("abs", Function::One(Unary::Abs)),
    ("sqrt", Function::One(Unary::Sqrt)),
    ("cbrt", Function::One(Unary::Cbrt)),
    ("exp", Function::One(Unary::Exp)),
    ("log", Function::One(Unary::Log)),
    ("log2", Function::One(Unary::Log2)),
];

/// Deepest nesting of a formula.
const MOST_NESTED: usize = 48;

/// Longest formula, in characters.
const MOST_CHARACTERS: usize = 4096;

/// Most definitions in a formula.
pub(super) const MOST_LOCALS: usize = 16;

/// True if `name` may be that of a constant or a definition.
pub(super) fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Meaning that `name` has in every formula; `None` if it is free.
pub(super) fn reserved(name: &str) -> Option<&'static str> {
    if Quantity::of(name).is_some() {
        return Some("a quantity");
    }
    FUNCTIONS.iter().any(|(known, _)| *known == name).then_some("a function")
}

/// Reads a formula. `constants` are names with their values.
///
/// # Errors
/// The place of the first error, and the error.
pub(super) fn read(text: &str, constants: &BTreeMap<String, f64>) -> Result<Tree, String> {
    if text.chars().count() > MOST_CHARACTERS {
        return Err(format!("is longer than {MOST_CHARACTERS} characters"));
    }
    Reader { text, constants, tokens: Tokens::new(text)?, names: Vec::new(), nested: 0 }
        .tree()
        .map_err(|(at, why)| format!("{}: {why}", place(text, at)))
}

/// Column of the byte `at`, with the line if there are several.
fn place(text: &str, at: usize) -> String {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[start..].chars().count() + 1;
    if text.contains('\n') {
        format!("line {}, column {column}", before.matches('\n').count() + 1)
    } else {
        format!("column {column}")
    }
}

/// Byte of an error, and the error.
type Mistake = (usize, String);

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Name(String),
    /// An operator or a bracket.
    Sign(&'static str),
    End,
}

impl Token {
    /// The token in an error.
    fn shown(&self) -> String {
        match self {
            Self::Number(number) => format!("`{number}`"),
            Self::Name(name) => format!("`{name}`"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// The tokens of a formula, and where they begin.
struct Tokens {
    all: Vec<(usize, Token)>,
    next: usize,
}

/// Operators and brackets; longer ones before their beginnings.
const SIGNS: &[&str] = &["<=", ">=", "<", ">", "+", "-", "*", "/", "^", "(", ")", ",", "=", ";"];

impl Tokens {
    fn new(text: &str) -> Result<Self, String> {
        let mut all = Vec::new();
        let mut letters = text.char_indices().peekable();
        while let Some(&(at, letter)) = letters.peek() {
            if letter.is_whitespace() {
                letters.next();
            } else if letter.is_ascii_digit() || letter == '.' {
                let number = number(text, at, &mut letters).map_err(|why| format!("{}: {why}", place(text, at)))?;
                all.push((at, Token::Number(number)));
            } else if letter.is_ascii_alphabetic() {
                let end = skip(text, &mut letters, |letter| letter.is_ascii_alphanumeric() || letter == '_');
                all.push((at, Token::Name(text[at..end].to_owned())));
            } else if let Some(sign) = SIGNS.iter().find(|sign| text[at..].starts_with(**sign)) {
                letters.by_ref().take(sign.len()).for_each(|_| ());
                all.push((at, Token::Sign(sign)));
            } else {
                let why = "allowed: numbers, names, + - * / ^ < <= > >= ( ) , = ;";
                return Err(format!("{}: `{letter}` is no part of a formula; {why}", place(text, at)));
            }
        }
        all.push((text.len(), Token::End));
        Ok(Self { all, next: 0 })
    }

    fn at(&self) -> usize {
        self.all[self.next].0
    }

    fn peek(&self) -> &Token {
        &self.all[self.next].1
    }

    fn second(&self) -> Option<&Token> {
        self.all.get(self.next + 1).map(|(_, token)| token)
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        // The end stays.
        self.next = (self.next + 1).min(self.all.len() - 1);
        token
    }

    /// Takes the sign if it is next.
    fn took(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Sign(next) if *next == sign);
        if is_next {
            self.take();
        }
        is_next
    }
}

/// Skips letters for which `is_part` holds; returns the byte after the last.
fn skip(text: &str, letters: &mut Peekable<CharIndices<'_>>, is_part: impl Fn(char) -> bool) -> usize {
    while letters.next_if(|(_, letter)| is_part(*letter)).is_some() {}
    letters.peek().map_or(text.len(), |&(at, _)| at)
}

/// Reads the number that begins at the byte `at`.
fn number(text: &str, at: usize, letters: &mut Peekable<CharIndices<'_>>) -> Result<f64, String> {
    let mut end = skip(text, letters, |letter| letter.is_ascii_digit() || letter == '.' || letter == '_');
    if letters.next_if(|(_, letter)| matches!(letter, 'e' | 'E')).is_some() {
        letters.next_if(|(_, letter)| matches!(letter, '+' | '-'));
        end = skip(text, letters, |letter| letter.is_ascii_digit());
    }
    let written = &text[at..end];
    match written.replace('_', "").parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(format!("`{written}` is too large")),
        Err(_) => Err(format!("`{written}` is no number")),
    }
}

struct Reader<'a> {
    text: &'a str,
    constants: &'a BTreeMap<String, f64>,
    tokens: Tokens,
    /// Names of the definitions so far.
    names: Vec<String>,
    nested: usize,
}

impl Reader<'_> {
    fn tree(mut self) -> Result<Tree, Mistake> {
        if self.text.trim().is_empty() {
            return Err((0, "the formula is empty".to_owned()));
        }
        let mut locals = Vec::new();
        while let (Token::Name(name), Some(Token::Sign("="))) = (self.tokens.peek(), self.tokens.second()) {
            let name = name.clone();
            self.is_free(&name)?;
            // The name and the sign.
            self.tokens.take();
            self.tokens.take();
            locals.push(self.comparison()?);
            if !self.tokens.took(";") {
                return Err(self.expected("`;` after the definition"));
            }
            self.names.push(name);
        }
        let value = self.comparison()?;
        match self.tokens.peek() {
            Token::End => Ok(Tree { locals, value }),
            _ => Err(self.expected("an operator or the end")),
        }
    }

    /// Refuses a definition whose name is in use.
    fn is_free(&self, name: &str) -> Result<(), Mistake> {
        let at = self.tokens.at();
        if let Some(meaning) = reserved(name) {
            return Err((at, format!("`{name}` is {meaning}; choose another name")));
        }
        if self.constants.contains_key(name) || self.names.iter().any(|known| known == name) {
            return Err((at, format!("`{name}` is defined already")));
        }
        if self.names.len() == MOST_LOCALS {
            return Err((at, format!("more than {MOST_LOCALS} definitions")));
        }
        Ok(())
    }

    fn expected(&self, what: &str) -> Mistake {
        (self.tokens.at(), format!("expected {what}, found {}", self.tokens.peek().shown()))
    }

    fn comparison(&mut self) -> Result<Node, Mistake> {
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err((self.tokens.at(), format!("nested more than {MOST_NESTED} deep")));
        }
        let mut left = self.sum()?;
        loop {
            let at = self.tokens.at();
            let (operation, is_swapped) = match self.tokens.peek() {
                Token::Sign("<") => (Binary::Less, false),
                Token::Sign("<=") => (Binary::LessOrEqual, false),
                Token::Sign(">") => (Binary::Less, true),
                Token::Sign(">=") => (Binary::LessOrEqual, true),
                _ => break,
            };
            self.tokens.take();
            let right = self.sum()?;
            let pair = if is_swapped { [right, left] } else { [left, right] };
            left = binary(operation, pair, at)?;
        }
        self.nested -= 1;
        Ok(left)
    }

    fn sum(&mut self) -> Result<Node, Mistake> {
        let mut left = self.product()?;
        loop {
            let at = self.tokens.at();
            let operation = match self.tokens.peek() {
                Token::Sign("+") => Binary::Add,
                Token::Sign("-") => Binary::Subtract,
                _ => return Ok(left),
            };
            self.tokens.take();
            left = binary(operation, [left, self.product()?], at)?;
        }
    }

    fn product(&mut self) -> Result<Node, Mistake> {
        let mut left = self.signed()?;
        loop {
            let at = self.tokens.at();
            let operation = match self.tokens.peek() {
                Token::Sign("*") => Binary::Multiply,
                Token::Sign("/") => Binary::Divide,
                _ => return Ok(left),
            };
            self.tokens.take();
            left = binary(operation, [left, self.signed()?], at)?;
        }
    }

    fn signed(&mut self) -> Result<Node, Mistake> {
        let at = self.tokens.at();
        let mut is_negative = false;
        while let Token::Sign(sign @ ("-" | "+")) = self.tokens.peek() {
            is_negative ^= *sign == "-";
            self.tokens.take();
        }
        let value = self.power()?;
        if is_negative { unary(Unary::Negate, value, at) } else { Ok(value) }
    }

    fn power(&mut self) -> Result<Node, Mistake> {
        let base = self.atom()?;
        let at = self.tokens.at();
        if !self.tokens.took("^") {
            return Ok(base);
        }
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err((at, format!("nested more than {MOST_NESTED} deep")));
        }
        let exponent = self.signed()?;
        self.nested -= 1;
        binary(Binary::Power, [base, exponent], at)
    }

    fn atom(&mut self) -> Result<Node, Mistake> {
        let at = self.tokens.at();
        if let Token::Name(_) | Token::Number(_) | Token::Sign("(") = self.tokens.peek() {
            match self.tokens.take() {
                Token::Number(number) => return Ok(Node::Number(number)),
                Token::Name(name) => return self.name(&name, at),
                _ => {}
            }
            let inside = self.comparison()?;
            return if self.tokens.took(")") { Ok(inside) } else { Err(self.expected("`)`")) };
        }
        Err(self.expected("a number, a name or `(`"))
    }

    /// A function, a definition, a constant or a quantity.
    fn name(&mut self, name: &str, at: usize) -> Result<Node, Mistake> {
        if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
            return self.function(name, *function, at);
        }
        let node = if let Some(local) = self.names.iter().position(|known| known == name) {
            Node::Local(local)
        } else if let Some(constant) = self.constants.get(name) {
            Node::Number(*constant)
        } else if let Some(quantity) = Quantity::of(name) {
            Node::Quantity(quantity)
        } else {
            let own = self.names.iter().chain(self.constants.keys()).cloned();
            let known: Vec<_> = Quantity::names().map(str::to_owned).chain(own).collect();
            let functions: Vec<_> = FUNCTIONS.iter().map(|(name, _)| format!("{name}()")).collect();
            let allowed = format!("allowed: {}, {}", known.join(", "), functions.join(", "));
            return Err((at, format!("unknown name `{name}`; {allowed}")));
        };
        match self.tokens.peek() {
            Token::Sign("(") => Err((at, format!("`{name}` is no function"))),
            _ => Ok(node),
        }
    }

    fn function(&mut self, name: &str, function: Function, at: usize) -> Result<Node, Mistake> {
        if !self.tokens.took("(") {
            return Err(self.expected(&format!("`(` after {name}")));
        }
        let mut arguments = vec![self.comparison()?];
        while self.tokens.took(",") {
            arguments.push(self.comparison()?);
        }
        if !self.tokens.took(")") {
            return Err(self.expected("`,` or `)`"));
        }
        let given = arguments.len();
        let wrong = |wanted: &str| Err((at, format!("`{name}` takes {wanted}, found {given}")));
        match function {
            Function::One(operation) => match <[Node; 1]>::try_from(arguments) {
                Ok([x]) => unary(operation, x, at),
                Err(_) => wrong("one argument"),
            },
            Function::Three(operation) => match <[Node; 3]>::try_from(arguments) {
                Ok(three) => ternary(operation, three, at),
                Err(_) => wrong("three arguments"),
            },
            Function::Many(_) if given < 2 => wrong("two arguments or more"),
            Function::Many(operation) => {
                let mut arguments = arguments.into_iter();
                let first = arguments.next().expect("there are two");
                arguments.try_fold(first, |left, right| binary(operation, [left, right], at))
            }
        }
    }
}

/// The operation on its operand, or its value.
fn unary(operation: Unary, x: Node, at: usize) -> Result<Node, Mistake> {
    match x {
        Node::Number(x) => finite(operation.apply(x), at),
        x => Ok(Node::Unary(operation, Box::new(x))),
    }
}

fn binary(operation: Binary, pair: [Node; 2], at: usize) -> Result<Node, Mistake> {
    match pair {
        [Node::Number(x), Node::Number(y)] => finite(operation.apply(x, y), at),
        [_, Node::Number(0.0)] if operation == Binary::Divide => Err((at, "division by 0".to_owned())),
        [x, Node::Number(2.0)] if operation == Binary::Power => Ok(Node::Unary(Unary::Square, Box::new(x))),
        [x, Node::Number(3.0)] if operation == Binary::Power => Ok(Node::Unary(Unary::Cube, Box::new(x))),
        pair => Ok(Node::Binary(operation, Box::new(pair))),
    }
}

fn ternary(operation: Ternary, three: [Node; 3], at: usize) -> Result<Node, Mistake> {
    match three {
        [Node::Number(x), Node::Number(y), Node::Number(z)] => finite(operation.apply(x, y, z), at),
        three => Ok(Node::Ternary(operation, Box::new(three))),
    }
}

/// A constant part, which must be finite.
fn finite(value: f64, at: usize) -> Result<Node, Mistake> {
    if value.is_finite() { Ok(Node::Number(value)) } else { Err((at, format!("the value here is {value}"))) }
}
