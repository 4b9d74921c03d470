/** The shops whose exports are known. */
export const presetNames = ['shopify', 'magento'] as const
export type PresetName = (typeof presetNames)[number]
