/**
 * Makes the font of share pictures: Noto Serif SemiBold with the characters of Latin, Greek and Cyrillic
 * scripts, and without hinting. Beside it, makes a JSON file that lists the characters by their width. It
 * needs `pyftsubset` of fonttools, and the font of https://fonts.google.com/noto (SIL Open Font License 1.1,
 * which stays in the names of the font and is beside it):
 *
 *     npx bun scripts/font.ts NotoSerif_600SemiBold.ttf
 */
import { join } from "node:path";
import { $ } from "bun";

const [source = ""] = process.argv.slice(2);
const target = join(import.meta.dir, "../src/content/pictures/noto-serif-semibold");

/** Without combining marks: they are parts of composed characters, or pile up. */
const CHARACTERS =
	"U+20-7E,U+A0-17F,U+218-21B,U+370-3FF,U+400-45F,U+490-491,U+1E00-1EFF,U+2010-2026,U+2030-203A,U+20AC,U+2116,U+2122,U+2212";

await $`pyftsubset ${source} --unicodes=${CHARACTERS} --layout-features=kern --no-hinting --name-IDs=0,1,2,3,4,5,6,13,14 --output-file=${target}.ttf`;

/** Prints the characters of a font by their width, in thousandths of the font size. */
const PRINT_WIDTHS = `
import json, sys
from fontTools.ttLib import TTFont
font = TTFont(sys.argv[1])
per_em = font["head"].unitsPerEm
characters = {}
for code, glyph in sorted(font.getBestCmap().items()):
    width = round(font["hmtx"][glyph][0] * 1000 / per_em)
    characters[width] = characters.get(width, "") + chr(code)
print(json.dumps(dict(sorted(characters.items())), indent="\\t"))
`;

await $`python3 -c ${PRINT_WIDTHS} ${target}.ttf > ${target}.widths.json`;
