/**
 * Returns the path of the sign-in page, which leads back to `returnPath`. Characters that a query may contain (RFC 3986,
 * section 3.4) stay unescaped, because Cloudflare's edge refuses addresses of more than 16 kB.
 */
export function signInPath(returnPath: string | undefined, isAgain = false): string {
  const query = [
    ...(isAgain ? ['again=1'] : []),
    ...(returnPath === undefined
      ? []
      : [`return=${encodeURIComponent(returnPath).replaceAll(/%(?:2F|3F|3A|40|3D|2C|3B|24)/g, decodeURIComponent)}`]),
  ]
  return query.length === 0 ? '/sign-in' : `/sign-in?${query.join('&')}`
}
