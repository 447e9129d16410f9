/** RFC 3986, section 3.4: escapes no more than it must, as Cloudflare's edge refuses addresses of more than 16 kB. */
export function signInPath(back: string | undefined, isAgain = false): string {
  const query = [
    ...(isAgain ? ['again=1'] : []),
    ...(back === undefined
      ? []
      : [`return=${encodeURIComponent(back).replaceAll(/%(?:2F|3F|3A|40|3D|2C|3B|24)/g, decodeURIComponent)}`]),
  ]
  return query.length === 0 ? '/sign-in' : `/sign-in?${query.join('&')}`
}
