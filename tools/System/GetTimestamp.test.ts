import { afterEach, describe, expect, it, vi } from 'vitest'
import { contextFor } from '../../test/tools/context.ts'
import getTimestamp from './GetTimestamp.ts'

afterEach(() => void vi.useRealTimers())

describe('System.GetTimestamp', () => {
  it('gives the time in UTC, as ISO 8601 writes it', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 1, 3, 4, 5, 6, 7) })
    expect(getTimestamp.handler({}, contextFor().context)).toEqual({ timestamp: '2026-02-03T04:05:06.007Z' })
  })
})
