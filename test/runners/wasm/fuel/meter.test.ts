import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ModuleError, unsigned } from '../../../../src/runners/wasm/fuel/bytes.ts'
import { assemble, compilePlugin } from '../../../plugins/compile.ts'
import { meteredInSteps } from './metered.ts'
import { moduleOf, program } from './program.ts'

const FUEL = 10_000_000

// The test wrote the module, so it knows its exports
// oxlint-disable-next-line typescript/no-explicit-any
type Exported = Record<string, any>
const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const OPTIONS = { fuel: FUEL, maxPages: 16 }
const V = '(v128.const i64x2 1 1)'

/** An instance that tells what each call comes to: its result or its trap, the global, and what the host was told. */
function start(bytes: Uint8Array<ArrayBuffer>) {
  const notes: number[] = []
  const imports = { host: { note: (value: number) => notes.push(value) } }
  const exported: Exported = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports
  exported['__start']?.()
  const run = (name: string, a: number, b: number) => {
    let result: number | string
    try {
      result = exported[name](a, b)
    } catch (error) {
      result = String(error)
    }
    return { result, global: exported['g'].value, notes: notes.splice(0) }
  }
  return { run, memory: () => Buffer.from(exported['memory'].buffer), fuel: () => Number(exported['__fuel'].value) }
}

function instantiate(text: string, options = OPTIONS): { exports: Exported; fuel: () => number } {
  const { bytes } = meteredInSteps(assemble(text), options)
  const exports: Exported = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports
  return { exports, fuel: () => Number(exports['__fuel'].value) }
}

it('a metered module computes the same as before, and uses fuel for it', () => {
  // Many programs share a module, since to assemble one takes longer than to run them
  const programs = fc.array(program, { minLength: 15, maxLength: 15 })
  fc.assert(
    fc.property(programs, fc.integer(), fc.nat(100), (all, a, b) => {
      const bytes = assemble(moduleOf(all))
      const metered = meteredInSteps(bytes, OPTIONS).bytes
      const [plain, first, second] = [start(bytes), start(metered), start(metered)]
      for (const index of all.keys()) {
        const before = first.fuel()
        const came = plain.run(`run${index}`, a, b)
        expect(first.run(`run${index}`, a, b)).toEqual(came)
        expect(second.run(`run${index}`, a, b)).toEqual(came)
        expect(first.memory().equals(plain.memory())).toBe(true)
        expect(first.fuel()).toBeLessThan(before)
        expect(first.fuel()).toBeGreaterThan(0)
      }
      expect(second.fuel()).toBe(first.fuel())
      expect(second.memory().equals(plain.memory())).toBe(true)
    }),
    { numRuns: 20 },
  )
}, 120_000)

it('a metered module uses as much fuel as it has instructions, in any position', () => {
  const straight = (count: number) => `(func (export "f") (param i32) ${'(drop (local.get 0))'.repeat(count)})`
  const used = (count: number) => {
    const { exports, fuel } = instantiate(`(module ${straight(count)})`)
    exports['f'](1)
    return FUEL - fuel()
  }
  expect(used(2_000) - used(1_000)).toBe(2_000)
  const { exports, fuel } = instantiate(`(module (func (export "f") (param $n i32)
      (loop $l ${'(drop (local.get $n))'.repeat(100)} (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))))`)
  exports['f'](1)
  const once = FUEL - fuel()
  exports['f'](1_000)
  expect(FUEL - fuel() - once).toBeGreaterThanOrEqual(1_000 * 200)
})

it('a metered module uses fuel for the bytes that bulk instructions move', () => {
  const { exports, fuel } = instantiate(`(module (memory 16)
      (func (export "fill") (param i32) (memory.fill (i32.const 0) (i32.const 1) (local.get 0)))
      (func (export "copy") (param i32) (memory.copy (i32.const 0) (i32.const 9) (local.get 0))))`)
  for (const name of ['fill', 'copy']) {
    const before = fuel()
    exports[name](800_000)
    expect(before - fuel()).toBeGreaterThanOrEqual(100_000)
  }
})

it('a metered module uses more fuel for a call of its host than for one of its own functions', () => {
  const text = `(module (import "host" "note" (func $note)) (func $own)
      (func (export "host") ${'(call $note)'.repeat(100)}) (func (export "own") ${'(call $own)'.repeat(100)}))`
  const { bytes } = meteredInSteps(assemble(text), OPTIONS)
  const imports = { host: { note: () => undefined } }
  const exports: Exported = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports
  const used = (name: string) => {
    const before = Number(exports['__fuel'].value)
    exports[name]()
    return before - Number(exports['__fuel'].value)
  }
  expect(used('host')).toBeGreaterThanOrEqual(100 * 100)
  expect(used('own')).toBeLessThan(100 * 20)
})

it.each([
  ['i64.trunc_sat_f64_s', 4, '(drop (i64.trunc_sat_f64_s (f64.const 1)))', 2],
  ['i32.trunc_f32_u', 4, '(drop (i32.trunc_f32_u (f32.const 1)))', 2],
  ['f64.sqrt', 8, '(drop (f64.sqrt (f64.const 1)))', 2],
  ['i64.rem_u', 8, '(drop (i64.rem_u (i64.const 1) (i64.const 1)))', 3],
  ['f32x4.sqrt', 8, `(drop (f32x4.sqrt ${V}))`, 4],
  ['f32x4.div', 8, `(drop (f32x4.div ${V} ${V}))`, 7],
  ['f64x2.sqrt', 8, `(drop (f64x2.sqrt ${V}))`, 4],
  ['f64x2.div', 8, `(drop (f64x2.div ${V} ${V}))`, 7],
  ['table.set', 40, '(table.set (i32.const 0) (ref.null func))', 2],
  ['memory.fill', 60, '(memory.fill (i32.const 0) (i32.const 0) (i32.const 0))', 3],
])('a metered module uses the cost of %s: %i units', (_, cost, body, beside) => {
  const { exports, fuel } = instantiate(
    `(module (memory 1) (table 1 funcref) (func (export "once") ${body}) (func (export "many") ${body.repeat(101)}))`,
  )
  const used = (name: string) => {
    const before = fuel()
    exports[name]()
    return before - fuel()
  }
  expect(used('many') - used('once')).toBe(100 * (cost + beside))
})

it.each([
  ['a loop', '(func (export "f") (loop $l (br $l)))'],
  ['a loop of a branch table', '(func (export "f") (loop $l (br_table $l $l (i32.const 0))))'],
  ['a loop without an end in sight', '(func (export "f") (loop $a (loop $b (br_if $b (i32.const 1)) (br $a))))'],
  ['recursion', '(func $f (export "f") (if (i32.const 1) (then (call $g)))) (func $g (call $f))'],
  ['a wide tree of calls', wideTree()],
  [
    'filling memory',
    '(memory 16) (func (export "f") (loop $l (memory.fill (i32.const 0) (i32.const 1) (i32.const 1048576)) (br $l)))',
  ],
  [
    'a fill of too much',
    '(memory 1) (func (export "f") (loop $l (memory.fill (i32.const 0) (i32.const 1) (i32.const 0)) (br $l)))',
  ],
  ['growing by nothing', '(memory 1) (func (export "f") (loop $l (drop (memory.grow (i32.const 0))) (br $l)))'],
])('a metered module ends %s', (_, body) => {
  const { exports } = instantiate(`(module ${body})`)
  expect(() => exports['f']()).toThrow(/unreachable|call stack/)
})

it('a metered module exports its start function to its host', () => {
  const { exports } = instantiate('(module (func $s (loop $l (br $l))) (start $s) (func (export "f")))')
  expect(() => exports['__start']()).toThrow(/unreachable/)
})

it('a metered module has limited memory', () => {
  const { exports } = instantiate(
    '(module (memory (export "memory") 1) (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))',
  )
  expect(exports['grow'](15)).toBe(1)
  expect(exports['grow'](1)).toBe(-1)
  const withMaximum = (pages: number) =>
    instantiate(
      `(module (memory 1 ${pages}) (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0))))`,
    )
  expect(withMaximum(2).exports['grow'](2)).toBe(-1)
  const declared = withMaximum(65_536)
  expect(declared.exports['grow'](15)).toBe(1)
  expect(declared.exports['grow'](1)).toBe(-1)
})

describe('a real plugin', () => {
  let toolbox: Uint8Array<ArrayBuffer>
  beforeAll(async () => {
    toolbox = await compilePlugin('toolbox', '-O1')
  }, 120_000)

  it('a real plugin is valid when metered, and is refused without harm when truncated at any point', () => {
    expect(WebAssembly.validate(meteredInSteps(toolbox, OPTIONS).bytes)).toBe(true)
    fc.assert(
      fc.property(fc.nat(toolbox.length - 1), (length) => {
        const cut = toolbox.slice(0, length)
        try {
          const { bytes } = meteredInSteps(cut, OPTIONS)
          // What ends where a section does may be a module still
          expect([WebAssembly.validate(cut), WebAssembly.validate(bytes)]).toEqual([true, true])
        } catch (error) {
          expect(error).toBeInstanceOf(ModuleError)
        }
      }),
      { examples: [[8]] },
    )
  })

  it('a real plugin with a changed byte is refused, or stays valid when metered if it was valid', () => {
    fc.assert(
      fc.property(fc.nat(toolbox.length - 1), fc.nat(255), (at, value) => {
        const changed = toolbox.slice()
        changed[at] = value
        if (!WebAssembly.validate(changed)) return
        try {
          expect(WebAssembly.validate(meteredInSteps(changed, OPTIONS).bytes)).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(ModuleError)
        }
      }),
      { numRuns: 300 },
    )
  }, 60_000)
})

it.each([
  ['threads', '(module (memory 1 1 shared) (func (i32.atomic.store (i32.const 0) (i32.const 0))))'],
  ['exceptions', '(module (tag $t) (func (throw $t)))'],
  ['tail calls', '(module (func $f (return_call $f)))'],
  ['two memories', '(module (memory 1) (memory 1) (func))'],
  ['a 64-bit memory', '(module (memory i64 1) (func))'],
  [
    'bulk operations on tables',
    '(module (table 1 funcref) (func (table.fill 0 (i32.const 0) (ref.null func) (i32.const 1))))',
  ],
  ['garbage collection', '(module (func (drop (ref.i31 (i32.const 1)))))'],
  ['relaxed vectors', '(module (func (param v128) (drop (i8x16.relaxed_swizzle (local.get 0) (local.get 0)))))'],
  ['a memory of its host', '(module (import "a" "b" (memory 1)) (func))'],
  ['too large a memory', '(module (memory 17) (func))'],
  ['too large a table', '(module (table 100001 funcref) (func))'],
  ['too many variables', `(module (func ${'(local i64)'.repeat(10_001)}))`],
])('a module cannot be metered with %s', (_, text) => {
  expect(() => meteredInSteps(assemble(text), OPTIONS)).toThrow(ModuleError)
})

it('a module cannot be metered with too large a function', () => {
  const nops = Buffer.alloc(1024 * 1024, 0x01)
  const body = Buffer.concat([Buffer.from([0]), nops, Buffer.from([0x0b])])
  const code = Buffer.concat([Buffer.from([1, ...unsigned(body.length)]), body])
  const head = [...HEADER, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, ...unsigned(code.length)]
  const module = new Uint8Array(Buffer.concat([Buffer.from(head), code]))
  expect(WebAssembly.validate(module)).toBe(true)
  expect(() => meteredInSteps(module, OPTIONS)).toThrow(/larger than/)
})

/** Functions that each call the next twice: few instructions, and very many calls. */
function wideTree(): string {
  const functions = Array.from({ length: 60 }, (_, n) => `(func $f${n} (call $f${n + 1}) (call $f${n + 1}))`)
  return `${functions.join('\n')} (func $f60) (func (export "f") (call $f0))`
}
