// A plugin with a tool for each thing a plugin can do (AssemblyScript; compiled by the tests)
import { Config, Host, Memory, Var } from '@extism/as-pdk'
import { JSON } from 'assemblyscript-json/assembly'

@external('extism:host/env', 'http_request')
declare function http_request(request: u64, body: u64): u64
@external('extism:host/env', 'http_status_code')
declare function http_status_code(): i32
@external('extism:host/env', 'length')
declare function block_length(handle: u64): u64
@external('extism:host/env', 'error_set')
declare function error_set(handle: u64): void
@external('extism:host/env', 'log_info')
declare function log_info(handle: u64): void

// The kit's own way to give text out counts UTF-16 units where bytes are wanted
function give(text: string): i32 {
  Host.output(Uint8Array.wrap(String.UTF8.encode(text)))
  return 0
}

function quoted(text: string): string {
  return JSON.from<string>(text).stringify()
}

const RETRY = '{"dev.switchboard/error":{"developer_message":"D","can_retry":true,"retry_after_ms":500}}'

function say(text: string, isError: bool = false): i32 {
  return give('{"content":[{"type":"text","text":' + quoted(text) + '}]' + (isError ? ',"isError":true,"_meta":' + RETRY : '') + '}')
}

function tool(name: string, description: string, properties: string, required: string): string {
  return (
    '{"name":' + quoted(name) + ',"description":' + quoted(description) +
    ',"inputSchema":{"type":"object","properties":{' + properties + '},"required":[' + required + ']}}'
  )
}

export function describe(): i32 {
  const tools = [
    tool('add', 'Adds two numbers', '"a":{"type":"number"},"b":{"type":"number"}', '"a","b"'),
    tool('echo', 'Echoes text, ünïcode ✓ too', '"text":{"type":"string"}', '"text"'),
    tool('primes', 'Counts the primes below n', '"n":{"type":"integer"}', '"n"'),
    tool('config', 'Reads its configuration', '"key":{"type":"string"}', '"key"'),
    tool('count', 'Counts in a variable and in its own memory', '', ''),
    tool('get', 'Requests a URL', '"url":{"type":"string"}', '"url"'),
    tool('image', 'Gives a picture', '', ''),
    tool('spin', 'Never ends', '', ''),
    tool('recurse', 'Calls itself for ever', '', ''),
    tool('grow', 'Takes more memory until there is none', '', ''),
    tool('hoard', 'Allocates shared memory until there is none', '', ''),
    tool('complain', 'Answers with an error', '"about":{"type":"string"}', '"about"'),
    tool('fail', 'Fails', '', ''),
    tool('trap', 'Traps', '', ''),
    tool('crash', 'Aborts', '', ''),
    tool('note', 'Writes to the log', '"text":{"type":"string"}', '"text"'),
    tool('garble', 'Answers with something that is no result', '', ''),
    tool('answer', 'Answers with a result', '"result":{"type":"string"}', '"result"'),
    tool('method.name', 'Says how it was called', '', ''),
    tool('request', 'Says what it was asked, word for word', '', ''),
  ]
  return give('{"tools":[' + tools.join(',') + ']}')
}

let calls: i32 = 0

function numberOf(object: JSON.Obj, key: string): f64 {
  const value = object.get(key)
  if (value == null) return NaN
  if (value.isInteger) return <f64>(<JSON.Integer>value).valueOf()
  if (value.isFloat) return (<JSON.Float>value).valueOf()
  return NaN
}

function textOf(object: JSON.Obj, key: string): string {
  const value = object.getString(key)
  return value == null ? '' : value.valueOf()
}

function primesBelow(n: i32): i32 {
  let count = 0
  for (let candidate = 2; candidate < n; candidate++) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
      if (candidate % divisor == 0) {
        isPrime = false
        break
      }
    }
    if (isPrime) count++
  }
  return count
}

function deeper(depth: i32): i32 {
  calls++
  return deeper(depth + 1) + deeper(depth + 2)
}

export function call(): i32 {
  calls++
  const request = <JSON.Obj>JSON.parse(Host.input())
  const params = request.getObj('params')
  if (params == null) return say('params is required', true)
  const name = textOf(params, 'name')
  const given = params.getObj('arguments')
  const input: JSON.Obj = given == null ? new JSON.Obj() : given

  if (name == 'add') {
    const sum = numberOf(input, 'a') + numberOf(input, 'b')
    return say(sum == Math.floor(sum) ? (<i64>sum).toString() : sum.toString())
  }
  if (name == 'echo') return say(textOf(input, 'text'))
  if (name == 'primes') return say(primesBelow(<i32>numberOf(input, 'n')).toString())
  if (name == 'config') {
    const value = Config.get(textOf(input, 'key'))
    return value == null ? say('not configured', true) : say(value)
  }
  if (name == 'count') {
    const before = Var.getString('n')
    const now = (before == null ? 0 : I32.parseInt(before)) + 1
    Var.set('n', Uint8Array.wrap(String.UTF8.encode(now.toString())))
    const after = Var.getString('n')
    return say((after == null ? 'none' : after) + ' ' + calls.toString())
  }
  if (name == 'get') {
    const request = Memory.allocateString('{"url":' + quoted(textOf(input, 'url')) + ',"headers":{"x-plugin":"toolbox"}}')
    const handle = http_request(request.offset, 0)
    const body = handle == 0 ? '' : new Memory(handle, block_length(handle)).toString()
    return say(http_status_code().toString() + ' ' + body)
  }
  if (name == 'image') {
    return give(
      '{"content":[{"type":"image","mimeType":"image/png","data":"aW1hZ2U=","annotations":{"audience":["user"],"priority":0.5}}]}',
    )
  }
  if (name == 'spin') while (true) calls++
  if (name == 'recurse') return say(deeper(0).toString())
  if (name == 'grow') {
    let pages = 0
    while (memory.grow(16) != -1) pages += 16
    return say('no more after ' + pages.toString())
  }
  if (name == 'hoard') while (true) Memory.allocate(1024 * 1024)
  if (name == 'complain') return say('I complain about ' + textOf(input, 'about'), true)
  if (name == 'fail') {
    error_set(Memory.allocateString('A deliberate failure').offset)
    return 1
  }
  if (name == 'trap') unreachable()
  if (name == 'crash') throw new Error('The roof fell in')
  if (name == 'note') {
    log_info(Memory.allocateString(textOf(input, 'text')).offset)
    return say('noted')
  }
  if (name == 'garble') return give('{"content":"none"}')
  if (name == 'answer') return give(textOf(input, 'result'))
  if (name == 'method.name') return say(textOf(request, 'method'))
  if (name == 'request') return say(String.UTF8.decode(Host.input().buffer))
  return say('There is no tool ' + name, true)
}
