import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ModuleError } from '../../../../src/runners/wasm/meter/bytes.ts'
import { meterModule } from '../../../../src/runners/wasm/meter/meter.ts'
import { unmeterModule } from '../../../../src/runners/wasm/meter/unmeter.ts'
import { assemble, compilePlugin } from '../../../plugins/compile.ts'
import { describing } from '../../../plugins/describing.ts'
import { moduleOf, program } from './program.ts'

const OPTIONS = { fuel: 250_000_000, maxPages: 1_024 }
const meter = (module: Uint8Array) => Buffer.from(meterModule(module, OPTIONS).bytes)

describe('what is made of a metered module', () => {
  const MODULES: Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>> = {
    'a plugin of AssemblyScript': () => compilePlugin('toolbox'),
    'an unoptimised one': () => compilePlugin('toolbox', '-O1'),
    'a plugin with a start function': () =>
      describing('{"tools":[]}', '', {
        imports: '(global $g (mut i32) (i32.const 0))',
        first: '',
        start: '(func $start (global.set $g (i32.const 7)))',
      }),
    'a module without globals and exports': () => assemble('(module (func (param i32) (result i32) (local.get 0)))'),
    'a module with loops, bulk operations and many constants': () =>
      assemble(`(module (memory (export "memory") 1 9) (table 3 funcref) (elem (i32.const 0) $f)
        (global $a i64 (i64.const 250000000)) (global $b (mut i64) (i64.const -1))
        (func $f (export "f") (param i32) (result i32) (local $i i32)
          (memory.fill (i32.const 0) (i32.const 1) (i32.const 64))
          (drop (memory.grow (i32.const 1)))
          (loop $l (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (global.set $b (i64.sub (global.get $b) (i64.const 9)))
            (br_if $l (i32.lt_s (local.get $i) (local.get 0))))
          (if (i64.lt_s (global.get $a) (i64.const 0)) (then (unreachable)))
          (call_indirect (param i32) (result i32) (local.get $i) (i32.const 0))))`),
  }

  it.each(Object.entries(MODULES))('is a valid module that gives the same again: %s', async (_, load) => {
    const metered = meter(await load())
    const own = unmeterModule(metered)
    expect(WebAssembly.validate(own)).toBe(true)
    expect(meter(own).equals(metered)).toBe(true)
    expect(() => meter(metered)).toThrow("must not export '__fuel'")
  })

  it('gives the same again for whatever program', () => {
    fc.assert(
      fc.property(program, (statements) => {
        const metered = meter(assemble(moduleOf([statements])))
        return meter(unmeterModule(metered)).equals(metered)
      }),
      { numRuns: 60 },
    )
  })
})

/** What a restore takes: bytes that metering gives. */
function isMetered(module: Uint8Array<ArrayBuffer>): boolean {
  try {
    const own = unmeterModule(module)
    return WebAssembly.validate(own) && meter(own).equals(Buffer.from(module))
  } catch (error) {
    if (error instanceof ModuleError) return false
    throw error
  }
}

describe('a module that was not metered', () => {
  it.each([
    ['none of it is', '(func (export "call") (loop $l (br $l)))'],
    [
      'its fuel is its own',
      '(global $f (export "__fuel") (mut i64) (i64.const 250000000)) (func (export "call") (loop $l (br $l)))',
    ],
    [
      'it fills its tank itself',
      `(global $f (export "__fuel") (mut i64) (i64.const 250000000))
       (func (export "call") (loop $l (global.set $f (i64.const 9)) (br $l)))`,
    ],
  ])('is none that metering gives: %s', (_, fields) => {
    expect(isMetered(assemble(`(module ${fields})`))).toBe(false)
  })

  it('is one whose code takes less fuel than it costs, wherever that is', async () => {
    const metered = new Uint8Array(meter(await compilePlugin('toolbox')))
    expect(isMetered(metered)).toBe(true)
    // global.get, i64.const, i64.sub and global.set: fuel -= cost
    const places = [...metered.keys()].filter(
      (at) =>
        metered[at] === 0x23 &&
        metered[at + 2] === 0x42 &&
        (metered[at + 3] ?? 0x80) < 0x40 &&
        metered[at + 4] === 0x7d &&
        metered[at + 5] === 0x24,
    )
    expect(places.length).toBeGreaterThan(100)
    for (const at of places.filter((_, index) => index % Math.ceil(places.length / 25) === 0)) {
      const cheaper = new Uint8Array(metered)
      cheaper[at + 3] = 0
      expect(WebAssembly.validate(cheaper)).toBe(true)
      expect(isMetered(cheaper)).toBe(false)
    }
  })

  it('throws nothing but a ModuleError, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        isMetered(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...bytes]))
      }),
      { numRuns: 300 },
    )
  })
})
