// What is the page made of, besides data?
//
// The files of page/ and third_party/uplot/, put into the program when it is built
// (cmake/EmbedText.cmake), so that neither a network nor an installation is needed.
#pragma once

#include <string_view>

namespace plr::report {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;
extern const std::string_view kChartCss;
extern const std::string_view kChartJs;

}  // namespace plr::report
