/// The calls of expat that kport makes. The page has no expat: it refuses XML.
#pragma once

#define XMLCALL

typedef struct XML_ParserStruct* XML_Parser;
typedef char XML_Char;
typedef char XML_LChar;
typedef long XML_Index;
typedef unsigned long XML_Size;
typedef unsigned char XML_Bool;
#define XML_TRUE 1
#define XML_FALSE 0
enum XML_Status { XML_STATUS_ERROR, XML_STATUS_OK, XML_STATUS_SUSPENDED };
enum XML_Error { XML_ERROR_NONE, XML_ERROR_NO_MEMORY, XML_ERROR_ABORTED = 35 };

inline XML_Parser XML_ParserCreate(const XML_Char*) { return reinterpret_cast<XML_Parser>(1); }
inline void XML_ParserFree(XML_Parser) {}
inline void XML_SetUserData(XML_Parser, void*) {}
inline void XML_SetElementHandler(XML_Parser, void (*)(void*, const XML_Char*, const XML_Char**), void (*)(void*, const XML_Char*)) {}
inline void XML_SetCharacterDataHandler(XML_Parser, void (*)(void*, const XML_Char*, int)) {}
inline void XML_SetCommentHandler(XML_Parser, void (*)(void*, const XML_Char*)) {}
inline void XML_SetEntityDeclHandler(XML_Parser, void (*)(void*, const XML_Char*, int, const XML_Char*, int, const XML_Char*, const XML_Char*, const XML_Char*,
                                                          const XML_Char*)) {}
inline XML_Status XML_StopParser(XML_Parser, XML_Bool) { return XML_STATUS_OK; }
inline XML_Index XML_GetCurrentByteIndex(XML_Parser) { return 0; }
inline XML_Status XML_Parse(XML_Parser, const char*, int, int) { return XML_STATUS_ERROR; }
inline XML_Error XML_GetErrorCode(XML_Parser) { return XML_ERROR_ABORTED; }
inline const XML_LChar* XML_ErrorString(XML_Error) { return "this page reads none (the program kport does)"; }
inline XML_Size XML_GetCurrentLineNumber(XML_Parser) { return 1; }
inline XML_Size XML_GetCurrentColumnNumber(XML_Parser) { return 0; }
