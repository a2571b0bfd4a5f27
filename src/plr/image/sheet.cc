#include "plr/image/sheet.h"

#include <algorithm>
#include <vector>

#include "plr/image/text.h"

namespace plr::image {
namespace {

constexpr Rgb kPaper = {248, 248, 246};
constexpr TextStyle kTitle = {.color = {30, 30, 30}, .scale = 2};
constexpr TextStyle kCaption = {.color = {70, 70, 70}, .scale = 2};
constexpr int kMargin = 20;
constexpr int kGapAboveText = 8;
constexpr int kMinColumnWidth = 160;  // thirteen characters of caption

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text, int width, const TextStyle& style) {
  const int characters = std::max(1, width / (kCharacterWidth * style.scale));
  return wrapped(text, static_cast<std::size_t>(characters));
}

int height_of(const Lines& lines, const TextStyle& style) {
  return static_cast<int>(lines.size()) * kLineHeight * style.scale;
}

void draw_lines(Image& image, Pixel corner, const Lines& lines, const TextStyle& style) {
  for (const std::string& line : lines) {
    draw_text(image, corner, line, style);
    corner.y += kLineHeight * style.scale;
  }
}

// The size of one row of the sheet.
int row_height(std::span<const Captioned> row, int column_width) {
  int pictures = 0;
  int captions = 0;
  for (const Captioned& one : row) {
    pictures = std::max(pictures, one.image.height());
    captions =
        std::max(captions, height_of(lines_of(one.caption, column_width, kCaption), kCaption));
  }
  return pictures + kGapAboveText + captions;
}

}  // namespace

Image sheet(std::span<const Captioned> pictures, const SheetOptions& options) {
  const auto num_columns =
      std::min(static_cast<std::size_t>(std::max(1, options.num_columns)), pictures.size());
  int column_width = kMinColumnWidth;
  for (const Captioned& one : pictures) column_width = std::max(column_width, one.image.width());
  std::vector<std::span<const Captioned>> rows;
  for (std::size_t i = 0; i < pictures.size(); i += num_columns) {
    rows.push_back(pictures.subspan(i, std::min(num_columns, pictures.size() - i)));
  }

  const int width = kMargin + static_cast<int>(num_columns) * (column_width + kMargin);
  const Lines title = lines_of(options.title, width - 2 * kMargin, kTitle);
  int height = kMargin + height_of(title, kTitle) + kGapAboveText;
  for (const auto& row : rows) height += row_height(row, column_width) + kMargin;

  Image page(width, height, kPaper);
  draw_lines(page, {kMargin, kMargin}, title, kTitle);
  int y = kMargin + height_of(title, kTitle) + kGapAboveText;
  for (const auto& row : rows) {
    int tallest = 0;
    for (const Captioned& one : row) tallest = std::max(tallest, one.image.height());
    int x = kMargin;
    for (const Captioned& one : row) {
      page.paste(one.image, {x, y});
      draw_lines(page, {x, y + tallest + kGapAboveText},
                 lines_of(one.caption, column_width, kCaption), kCaption);
      x += column_width + kMargin;
    }
    y += row_height(row, column_width) + kMargin;
  }
  return page;
}

}  // namespace plr::image
