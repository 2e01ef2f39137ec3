//! Stack machine of formulas.

use super::quantity::Quantity;
use super::text::{Binary, MOST_LOCALS, Node, Ternary, Tree, Unary};

/// A formula as instructions of a stack machine.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Program {
    code: Box<[Step]>,
}

/// An instruction. The newest value lies in an accumulator, the others on the stack.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Number(f64),
    Quantity(Quantity),
    Local(u8),
    /// Takes the newest value as the next definition.
    Define(u8),
    Unary(Unary),
    Binary(Binary),
    /// A binary operation whose second operand is a number or a quantity: half of all operations, one step less.
    WithNumber(Binary, f64),
    WithQuantity(Binary, Quantity),
    Ternary(Ternary),
}

/// Values on the stack at once; a power of two.
const DEPTH: usize = 32;

/// Most instructions.
const MOST_STEPS: usize = 512;

impl Program {
    /// Compiles a tree.
    ///
    /// # Errors
    /// The formula is too long or needs too many values at once.
    pub fn of(tree: &Tree) -> Result<Self, String> {
        let mut code = Vec::new();
        let mut most = 0;
        for (at, local) in (0..).zip(&tree.locals) {
            most = most.max(compile(local, &mut code));
            code.push(Step::Define(at));
        }
        most = most.max(compile(&tree.value, &mut code));
        if code.len() > MOST_STEPS {
            return Err(format!("has {} operations; at most {MOST_STEPS}", code.len()));
        }
        // The accumulator's first value, which is none, is pushed too.
        if most >= DEPTH {
            return Err(format!("needs {most} values at once; at most {}", DEPTH - 1));
        }
        Ok(Self { code: code.into() })
    }

    /// Returns the value of the formula, with `read` for its quantities.
    #[inline]
    pub fn run(&self, read: impl Fn(Quantity) -> f64) -> f64 {
        let mut stack = [0.0; DEPTH];
        let mut locals = [0.0; MOST_LOCALS];
        let (mut top, mut height) = (0.0, 0_usize);
        macro_rules! push {
            ($value:expr) => {{
                stack[height % DEPTH] = top;
                height = height.wrapping_add(1);
                top = $value;
            }};
        }
        macro_rules! pop {
            () => {{
                height = height.wrapping_sub(1);
                stack[height % DEPTH]
            }};
        }
        for step in &self.code {
            match *step {
                Step::Number(value) => push!(value),
                Step::Quantity(quantity) => push!(read(quantity)),
                Step::Local(local) => push!(locals[usize::from(local) % MOST_LOCALS]),
                Step::Define(local) => {
                    locals[usize::from(local) % MOST_LOCALS] = top;
                    top = pop!();
                }
                Step::Unary(operation) => top = operation.apply(top),
                Step::Binary(operation) => top = operation.apply(pop!(), top),
                Step::WithNumber(operation, value) => top = operation.apply(top, value),
                Step::WithQuantity(operation, quantity) => top = operation.apply(top, read(quantity)),
                Step::Ternary(operation) => {
                    let middle = pop!();
                    top = operation.apply(pop!(), middle, top);
                }
            }
        }
        top
    }
}

/// Appends the instructions of `node`; returns the number of values that they need at once.
fn compile(node: &Node, code: &mut Vec<Step>) -> usize {
    match node {
        Node::Number(value) => code.push(Step::Number(*value)),
        Node::Quantity(quantity) => code.push(Step::Quantity(*quantity)),
        Node::Local(local) => code.push(Step::Local(*local as u8)),
        Node::Unary(operation, x) => {
            let most = compile(x, code);
            code.push(Step::Unary(*operation));
            return most;
        }
        Node::Binary(operation, pair) => {
            let [x, y] = &**pair;
            let most = compile(x, code);
            match y {
                Node::Number(value) => code.push(Step::WithNumber(*operation, *value)),
                Node::Quantity(quantity) => code.push(Step::WithQuantity(*operation, *quantity)),
                y => {
                    let most = most.max(1 + compile(y, code));
                    code.push(Step::Binary(*operation));
                    return most;
                }
            }
            return most;
        }
        Node::Ternary(operation, three) => {
            let needs = three.iter().zip(0..).map(|(node, below)| below + compile(node, code));
            let most = needs.max().unwrap_or_default();
            code.push(Step::Ternary(*operation));
            return most;
        }
    }
    1
}
