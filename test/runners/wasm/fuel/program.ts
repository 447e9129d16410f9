import fc from 'fast-check'

/** A generated program is a function of two numbers, which gives one and leaves a memory. */
export type Expression =
  | { readonly kind: 'const'; readonly value: number }
  | { readonly kind: 'local'; readonly index: number }
  | { readonly kind: 'global' }
  | { readonly kind: 'load'; readonly at: Expression }
  | { readonly kind: 'binary'; readonly op: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'if'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: 'select'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: 'call'; readonly given: Expression }
  | { readonly kind: 'indirect'; readonly given: Expression; readonly which: Expression }

export type Statement =
  | { readonly kind: 'set'; readonly index: number; readonly value: Expression }
  | { readonly kind: 'global'; readonly value: Expression }
  | { readonly kind: 'store'; readonly at: Expression; readonly value: Expression }
  | { readonly kind: 'fill'; readonly at: Expression; readonly value: Expression; readonly length: Expression }
  | { readonly kind: 'copy'; readonly to: Expression; readonly from: Expression; readonly length: Expression }
  | { readonly kind: 'grow'; readonly pages: Expression }
  | {
      readonly kind: 'if'
      readonly test: Expression
      readonly yes: readonly Statement[]
      readonly no: readonly Statement[]
    }
  | { readonly kind: 'block'; readonly leave: Expression; readonly body: readonly Statement[] }
  | { readonly kind: 'loop'; readonly times: number; readonly body: readonly Statement[] }
  | { readonly kind: 'table'; readonly choice: Expression; readonly body: readonly Statement[] }
  | { readonly kind: 'return'; readonly when: Expression; readonly value: Expression }
  | { readonly kind: 'trap'; readonly when: Expression }

const LOCALS = 4
const OPERATORS = ['add', 'sub', 'mul', 'and', 'or', 'xor', 'shl', 'shr_s', 'rotl', 'eq', 'lt_s', 'div_u', 'rem_s']

const { program } = fc.letrec<{ expression: Expression; statement: Statement; program: readonly Statement[] }>(
  (tie) => {
    const expression = tie('expression')
    const statements = fc.array(tie('statement'), { maxLength: 4 })
    const index = fc.nat(LOCALS - 1)
    return {
      expression: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.record({ kind: fc.constant('const' as const), value: fc.oneof(fc.integer(), fc.nat(20)) }),
        fc.record({ kind: fc.constant('local' as const), index }),
        fc.record({ kind: fc.constant('global' as const) }),
        fc.record({ kind: fc.constant('load' as const), at: expression }),
        fc.record({
          kind: fc.constant('binary' as const),
          op: fc.constantFrom(...OPERATORS),
          left: expression,
          right: expression,
        }),
        fc.record({
          kind: fc.constantFrom('if' as const, 'select' as const),
          test: expression,
          yes: expression,
          no: expression,
        }),
        fc.record({ kind: fc.constant('call' as const), given: expression }),
        fc.record({ kind: fc.constant('indirect' as const), given: expression, which: expression }),
      ),
      statement: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.record({ kind: fc.constant('set' as const), index, value: expression }),
        fc.record({ kind: fc.constant('global' as const), value: expression }),
        fc.record({ kind: fc.constant('store' as const), at: expression, value: expression }),
        fc.record({ kind: fc.constant('fill' as const), at: expression, value: expression, length: expression }),
        fc.record({ kind: fc.constant('copy' as const), to: expression, from: expression, length: expression }),
        fc.record({ kind: fc.constant('grow' as const), pages: expression }),
        fc.record({ kind: fc.constant('if' as const), test: expression, yes: statements, no: statements }),
        fc.record({ kind: fc.constant('block' as const), leave: expression, body: statements }),
        fc.record({ kind: fc.constant('loop' as const), times: fc.integer({ min: 1, max: 5 }), body: statements }),
        fc.record({ kind: fc.constant('table' as const), choice: expression, body: statements }),
        fc.record({ kind: fc.constant('return' as const), when: expression, value: expression }),
        fc.record({ kind: fc.constant('trap' as const), when: expression }),
      ),
      program: fc.array(tie('statement'), { minLength: 1, maxLength: 8 }),
    }
  },
)

export { program }

/** A module in the text format that exports the programs as `run0(i32, i32)` and so on. */
export function moduleOf(programs: readonly (readonly Statement[])[]): string {
  return `(module
    (type $unary (func (param i32) (result i32)))
    (import "host" "note" (func $note (param i32)))
    (memory (export "memory") 1 8)
    (table 2 funcref) (elem (i32.const 0) $twice $negate)
    (global $g (export "g") (mut i32) (i32.const 5))
    (data (i32.const 100) "some bytes to begin with")
    (func $begin (global.set $g (i32.const 6))) (start $begin)
    (func $twice (type $unary) (i32.shl (local.get 0) (i32.const 1)))
    (func $negate (type $unary) (call $note (local.get 0)) (i32.sub (i32.const 0) (local.get 0)))
    ${programs.map((statements, index) => functionOf(statements, `run${index}`)).join('\n')})`
}

function functionOf(statements: readonly Statement[], name: string): string {
  let loops = 0
  let labels = 0
  const expression = (each: Expression): string => {
    switch (each.kind) {
      case 'const':
        return `(i32.const ${each.value})`
      case 'local':
        return `(local.get ${each.index})`
      case 'global':
        return '(global.get $g)'
      case 'load':
        return `(i32.load offset=3 (i32.and ${expression(each.at)} (i32.const 0x1fff)))`
      case 'binary':
        return `(i32.${each.op} ${expression(each.left)} ${expression(each.right)})`
      case 'if':
        return `(if (result i32) ${expression(each.test)} (then ${expression(each.yes)}) (else ${expression(each.no)}))`
      case 'select':
        return `(select ${expression(each.yes)} ${expression(each.no)} ${expression(each.test)})`
      case 'call':
        return `(call $twice ${expression(each.given)})`
      case 'indirect':
        return `(call_indirect (type $unary) ${expression(each.given)} (i32.and ${expression(each.which)} (i32.const 1)))`
    }
  }
  const within = (each: Expression, mask: number) => `(i32.and ${expression(each)} (i32.const ${mask}))`
  const list = (all: readonly Statement[]): string => all.map(statement).join('\n')
  const statement = (each: Statement): string => {
    switch (each.kind) {
      case 'set':
        return `(local.set ${each.index} ${expression(each.value)})`
      case 'global':
        return `(global.set $g ${expression(each.value)})`
      case 'store':
        return `(i32.store ${within(each.at, 0x1fff)} ${expression(each.value)})`
      case 'fill':
        return `(memory.fill ${within(each.at, 0x1fff)} ${expression(each.value)} ${within(each.length, 0xff)})`
      case 'copy':
        return `(memory.copy ${within(each.to, 0x1fff)} ${within(each.from, 0x1fff)} ${within(each.length, 0xff)})`
      case 'grow':
        return `(local.set 0 (memory.grow ${within(each.pages, 1)}))`
      case 'if':
        return `(if ${expression(each.test)} (then ${list(each.yes)}) (else ${list(each.no)}))`
      case 'block': {
        const label = `$b${labels++}`
        return `(block ${label} (br_if ${label} ${expression(each.leave)}) ${list(each.body)})`
      }
      case 'loop': {
        const counter = `$n${loops++}`
        return `(local.set ${counter} (i32.const ${each.times}))
          (loop $l${counter.slice(1)} ${list(each.body)}
            (br_if $l${counter.slice(1)} (local.tee ${counter} (i32.sub (local.get ${counter}) (i32.const 1)))))`
      }
      case 'table': {
        const label = `$t${labels++}`
        return `(block ${label} (block ${label}a (br_table ${label}a ${label} ${within(each.choice, 3)})) ${list(each.body)})`
      }
      case 'return':
        return `(if ${expression(each.when)} (then (return ${expression(each.value)})))`
      case 'trap':
        return `(if (i32.eq ${expression(each.when)} (i32.const 77)) (then unreachable))`
    }
  }
  const body = list(statements)
  const counters = Array.from({ length: loops }, (_, index) => `(local $n${index} i32)`).join(' ')
  return `(func (export "${name}") (param i32 i32) (result i32) (local i32 i32) ${counters} ${body} (local.get 0))`
}
