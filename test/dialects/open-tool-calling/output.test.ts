import { describe, expect, it } from 'vitest'
import type { ToolSuccess } from '../../../src/core/call/runner.ts'
import type { Content } from '../../../src/core/tool/content.ts'
import { encodeOutput } from '../../../src/dialects/open-tool-calling/wire.ts'

const source = { dialect: 'open-tool-calling' }
const OXP = { source: { dialect: 'oxp' } }
const modes = (...available_modes: string[]) => ({ source, metadata: { available_modes } })
const ARTIFACTS = modes('artifact', 'error')
const image: Content = { type: 'image', data: 'aW1hZ2U=', mimeType: 'image/png' }
const text: Content = { type: 'text', text: 'Hello' }
const blob: Content = { type: 'resource', resource: { uri: 'file:///a', blob: 'YQ==' } }
const gave = (content: readonly Content[], value: unknown = null): ToolSuccess => ({ ok: true, value, content })

describe('an output of content', () => {
  it.each<[string, ToolSuccess, Parameters<typeof encodeOutput>[1], object | undefined]>([
    ['holds the blocks as its value', gave([image, text]), OXP, { value: { content: [image, text] } }],
    ['holds a single block too', gave([text]), OXP, { value: 'Hello' }],
    ['is an artifact of bytes where no modes were declared', gave([image]), OXP, { artifact: { size: 5 } }],
    ['is a value of bytes of the usual modes', gave([image]), { source }, { value: { content: [image] } }],
    ['is a value of bytes where no other was declared', gave([image]), modes('value'), { value: { content: [image] } }],
    [
      'is an artifact of JSON where no values were declared',
      gave([], { a: 'é' }),
      ARTIFACTS,
      {
        artifact: {
          url: 'data:application/json;charset=utf-8,%7B%22a%22%3A%22%C3%A9%22%7D',
          content_type: 'application/json',
          size: 10,
        },
      },
    ],
    ['is the value where there is one', gave([image], 7), modes('value', 'artifact'), { value: 7 }],
    ['is the artifact where values were not declared', gave([image], 7), ARTIFACTS, { artifact: { size: 5 } }],
    ['is a text when it is nothing but texts', gave([text, text]), modes('value'), { value: 'Hello\nHello' }],
    ['is nothing where there is none', gave([]), ARTIFACTS, undefined],
    [
      'is the artifact of a tool that gives such, when it is bytes',
      gave([image]),
      ARTIFACTS,
      {
        artifact: {
          url: 'data:image/png;base64,aW1hZ2U=',
          content_type: 'image/png',
          size: 5,
          meta: { description: 'What the tool gave: image' },
        },
      },
    ],
    [
      'is an artifact of bytes that say no type',
      gave([blob]),
      ARTIFACTS,
      {
        artifact: {
          url: 'data:application/octet-stream;base64,YQ==',
          content_type: 'application/octet-stream',
          size: 1,
          meta: { description: 'file:///a' },
        },
      },
    ],
    ['is no artifact when it is several', gave([image, image]), OXP, { value: { content: [image, image] } }],
  ])('%s', (_, success, tool, output) => {
    if (output === undefined) expect(encodeOutput(success, tool)).toBeUndefined()
    else expect(encodeOutput(success, tool)).toMatchObject(output)
  })

  it('keeps an invalid media type out of the URL', () => {
    const odd = gave([{ type: 'image', data: '', mimeType: 'image/png;a="\n"' }])
    expect(encodeOutput(odd, ARTIFACTS)).toMatchObject({ artifact: { url: 'data:image/png;base64,', size: 0 } })
    expect(encodeOutput(gave([{ ...image, mimeType: '?' }]), ARTIFACTS)).toMatchObject({
      artifact: { content_type: 'application/octet-stream' },
    })
  })
})
