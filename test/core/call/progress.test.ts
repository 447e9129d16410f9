import { expect, it } from 'vitest'
import { createProgressReporter, type Progress } from '../../../src/core/call/progress.ts'

function listening(hide = (text: string) => text) {
  const told: Progress[] = []
  return { told, ...createProgressReporter((progress) => void told.push(progress), hide) }
}

it('is reported as the tool sends it, without missing fields', () => {
  const { told, report } = listening()
  report(0)
  report(1.5, 3, 'half')
  report(2, Number.NaN, '')
  expect(told).toEqual([{ progress: 0 }, { progress: 1.5, total: 3, message: 'half' }, { progress: 2, message: '' }])
})

it('must increase, or is dropped', () => {
  const { told, report } = listening()
  for (const progress of [-1, 0, 50, 50, 20, Number.NaN, Infinity, 100]) report(progress)
  expect(told.map(({ progress }) => progress)).toEqual([-1, 0, 50, 100])
})

it('is reported less and less often for a tool that reports without end', () => {
  const { told, report } = listening()
  for (let progress = 1; progress <= 1_000_000; progress++) report(progress)
  expect(told).toHaveLength(1_000 + 3 * 900)
  const shown = told.map(({ progress }) => progress)
  expect(shown.slice(998, 1_002)).toEqual([999, 1_000, 1_010, 1_020])
  expect(shown.slice(-2)).toEqual([999_000, 1_000_000])
})

it('ends with the run, whatever the tool does with the function', () => {
  const { told, report, end } = listening()
  report(1)
  end()
  report(2)
  expect(told).toEqual([{ progress: 1 }])
})

it('has messages of one line, without credentials, even if one would be cut in two', () => {
  const { told, report } = listening((text) => text.replaceAll('s3cret-value', '[redacted]'))
  report(1, 2, 'x'.repeat(5_000_000))
  report(2, 2, `${'x'.repeat(995)}s3cret-value`)
  expect(told.map(({ message }) => message)).toEqual(['x'.repeat(1_000), `${'x'.repeat(995)}[reda`])
})

it('reads only as much of a message as is shown, and none if that might show part of a credential', () => {
  const read: number[] = []
  const secret = 's3cret-value'
  const { told, report } = listening((text) => {
    read.push(text.length)
    return text.replaceAll(secret, '')
  })
  report(1, 3, 'x'.repeat(20_000_000))
  report(2, 3, `${secret.repeat(5_461)}${secret.repeat(2)}`)
  report(3, 3, `${secret.repeat(5_000)}end`)
  expect(read).toEqual([65_536, 65_536, 60_003])
  expect(told.map(({ message }) => message)).toEqual(['x'.repeat(1_000), undefined, 'end'])
})
