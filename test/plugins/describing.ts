import { assemble } from './compile.ts'

/** A plugin's actions besides returning texts, in the text format. */
export interface Deed {
  readonly imports: string
  /** A function `$first` without parameters, which `call` runs first. */
  readonly first: string
  /** A function `$start`, which runs when the module starts. */
  readonly start?: string
  /** Replaces the default `call`, which returns nothing. */
  readonly call?: string
}

/**
 * Builds a plugin whose `describe` returns `text`, and whose `call` always returns `answer`, if any. Its memory has a page
 * after the texts.
 */
export function describing(text: string, answer = '', deed?: Deed): Uint8Array<ArrayBuffer> {
  const all = new TextEncoder().encode(text + answer)
  const length = new TextEncoder().encode(text).length
  const bytes = [...all].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')
  const pages = Math.ceil(all.length / 65_536) + 1
  return assemble(`(module
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    ${deed?.imports ?? ''}
    (memory (export "memory") ${pages}) (data (i32.const 0) "${bytes}")
    ${deed?.first ?? ''} ${deed?.start === undefined ? '' : `${deed.start} (start $start)`}
    ${giving('describe', 0, length)}
    ${answer === '' ? (deed?.call ?? '(func (export "call") (result i32) (i32.const 0))') : giving('call', length, all.length - length, deed ? '(call $first)' : '')})`)
}

/** Builds an export that returns a part of the memory. */
function giving(name: string, from: number, length: number, first = ''): string {
  return `(func (export "${name}") (result i32) (local $block i64) (local $at i32)
      ${first}
      (local.set $block (call $alloc (i64.const ${length})))
      (block $end (loop $next
        (br_if $end (i32.ge_u (local.get $at) (i32.const ${length})))
        (call $store
          (i64.add (local.get $block) (i64.extend_i32_u (local.get $at)))
          (i32.load8_u (i32.add (local.get $at) (i32.const ${from}))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
      (call $output (local.get $block) (i64.const ${length}))
      (i32.const 0))`
}
