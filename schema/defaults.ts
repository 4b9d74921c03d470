/** The channel of an argument that is left out or null. */
export const defaultChannel = 'SMP'
/** The asset format of an argument that is left out or null. */
export const defaultFormat = 'image'

interface ChannelAndFormat {
  channel?: string | null | undefined
  assetFormat?: string | null | undefined
}

/** The same with the default channel and format where they are null. */
export function withDefaults<Given extends ChannelAndFormat>(
  given: Given,
): Omit<Given, keyof ChannelAndFormat> & { channel: string; assetFormat: string } {
  return { ...given, channel: given.channel ?? defaultChannel, assetFormat: given.assetFormat ?? defaultFormat }
}
