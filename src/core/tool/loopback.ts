/** Takes `URL.hostname`, which normalizes `127.1` and `0x7f000001`. Names under `.localhost` may resolve to other addresses. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}
